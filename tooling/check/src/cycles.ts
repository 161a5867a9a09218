import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
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

/** The folders above a file, up to `top`. */
const foldersAbove = (file: string, top: string): Array<string> => {
  const folder = dirname(file)
  return folder === top ? [top] : [folder, ...foldersAbove(folder, top)]
}

/** The files and folders directly in `folder`, and which of them import each other. */
const siblingsIn = (folder: string, graph: Graph): Graph => {
  const siblings = new Map<string, Array<string>>()
  const childOf = (file: string): string | undefined =>
    file.startsWith(`${folder}/`) ? join(folder, file.slice(folder.length + 1).split("/")[0]!) : undefined
  for (const [file, imported] of graph) {
    const from = childOf(file)
    if (from === undefined) continue
    const others = imported
      .map(childOf)
      .filter((to) => to !== undefined)
      .filter((to) => to !== from)
    siblings.set(from, [...new Set([...(siblings.get(from) ?? []), ...others])])
  }
  return siblings
}

/** An import for each step of a cycle of folders, to show where it runs back. */
const importsAlong = (cycle: ReadonlyArray<string>, graph: Graph): Array<string> => {
  const isIn = (file: string, place: string): boolean => file === place || file.startsWith(`${place}/`)
  return cycle.slice(1).flatMap((to, index) => {
    const files = [...graph].filter(([file]) => isIn(file, cycle[index]!))
    const found = files.flatMap(([file, imported]) =>
      imported.filter((path) => isIn(path, to)).map((path) => [file, path])
    )
    return found.length === 0
      ? []
      : [`  ${found[0]!.join(" imports ")}${found.length > 1 ? ` (1 of ${found.length})` : ""}`]
  })
}

/** Files and folders that stand side by side have an order: imports between them run one way. */
const folderCycles = (top: string, graph: Graph): Array<string> => {
  const folders = new Set([...graph.keys()].flatMap((file) => foldersAbove(file, top)))
  return [...folders].toSorted().flatMap((folder) =>
    // One at a time: the first that is mended often mends others.
    cyclesOf(siblingsIn(folder, graph))
      .slice(0, 1)
      .flatMap((cycle) => [
        `${folder}: ${cycle.map((place) => place.slice(folder.length + 1)).join(" -> ")}`,
        ...importsAlong(cycle, graph)
      ])
  )
}

/** No file or folder imports itself through others, not even for a type. */
export const cycles = async (): Promise<string> => {
  const folders = [...Object.keys(rooms).map((room) => `${room}/src`), ...outside]
  return lines(
    folders.flatMap((folder) => {
      const graph = graphOf(folder)
      const found = cyclesOf(graph).map((cycle) => cycle.join(" -> "))
      return found.length > 0 ? found : folderCycles(folder, graph)
    })
  )
}
