import { bundle, type Inputs } from "./bundle.ts"
import { lines } from "./Check.ts"
import { outside, rooms } from "./room.ts"

type Graph = ReadonlyMap<string, ReadonlyArray<string>>

const graphOf = (inputs: Inputs): Graph =>
  new Map(
    Object.entries(inputs).map(([file, { imports }]) => [
      file,
      imports.filter(({ external }) => external !== true).map(({ path }) => path)
    ])
  )

/** One cycle for each edge that closes one, in the order of imports. */
const cyclesOf = (graph: Graph): Array<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const done = new Set<string>()
  const walk = (file: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(file)
    if (start >= 0) found.push([...trail.slice(start), file])
    if (start >= 0 || done.has(file)) return
    for (const next of graph.get(file) ?? []) walk(next, [...trail, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  return found
}

/** Packages are external to one another here: `boundaries` already gives them an order. */
export const cycles = async (): Promise<string> => {
  const folders = [...Object.keys(rooms).map((room) => `${room}/src`), ...outside]
  const inputs = await Promise.all(folders.map((folder) => bundle(folder, { packages: "external" })))
  return lines(inputs.flatMap((one) => cyclesOf(graphOf(one))).map((cycle) => cycle.join(" -> ")))
}
