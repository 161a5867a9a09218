import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "oxc-parser"
import { root } from "../../release/src/program.ts"
import { lines } from "./Check.ts"
import { outside, rooms } from "./room.ts"

type Graph = ReadonlyMap<string, ReadonlyArray<string>>

/** `import("./file.ts")`, as a value or inside a type: the parser lists only the first kind. */
const importCall = /\bimport\(\s*["']([^"']+)["']/g

/** The specifiers of a file's imports and re-exports, those of types included. */
const specifiersOf = (file: string, text: string): Array<string> => {
  const { staticExports, staticImports } = parseSync(file, text).module
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...[...text.matchAll(importCall)].map(([, specifier]) => specifier!)
  ]
}

/** The files of a folder and which of them each imports. Packages are left out: `boundaries` already orders them. */
const graphOf = (folder: string): Graph => {
  const exclude = ["**/node_modules/**", "**/fixtures/**"]
  const files = new Set(globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude }).toSorted())
  const importsOf = (file: string): ReadonlyArray<string> =>
    specifiersOf(file, readFileSync(join(root, file), "utf8"))
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => join(file, "..", specifier))
      .filter((path) => files.has(path))
  return new Map([...files].map((file) => [file, importsOf(file)]))
}

/** One cycle for each import that closes one. */
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

/** No file imports itself through others, not even for a type. */
export const cycles = async (): Promise<string> => {
  const folders = [...Object.keys(rooms).map((room) => `${room}/src`), ...outside]
  return lines(folders.flatMap((folder) => cyclesOf(graphOf(folder))).map((cycle) => cycle.join(" -> ")))
}
