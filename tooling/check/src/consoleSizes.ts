import { readFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { root, succeed } from "../../release/src/program.ts"

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly isDynamicEntry?: boolean
  readonly imports?: ReadonlyArray<string>
  readonly css?: ReadonlyArray<string>
}

type Manifest = Readonly<Record<string, Chunk>>

const dist = join(root, "apps/console/dist")

/** In kB (1,000 bytes), all files of the first page that anybody sees. */
const limit = 200

/** The files that a chunk needs, with those of what it imports. */
const filesOf = (manifest: Manifest, name: string, found = new Set<string>()): ReadonlySet<string> => {
  const chunk = manifest[name]
  if (chunk === undefined || found.has(chunk.file)) return found
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file)
  for (const each of chunk.imports ?? []) filesOf(manifest, each, found)
  return found
}

interface Size {
  readonly gzip: number
  readonly brotli: number
}

const sizeOf = (files: Iterable<string>): Size => {
  const contents = [...files].map((file) => readFileSync(join(dist, file)))
  const kB = (compress: (bytes: Buffer) => Buffer) =>
    contents.reduce((sum, bytes) => sum + compress(bytes).length, 0) / 1000
  return { gzip: kB((bytes) => gzipSync(bytes, { level: 9 })), brotli: kB((bytes) => brotliCompressSync(bytes)) }
}

const print = (name: string, { brotli, gzip }: Size, note = ""): void =>
  console.log(
    `  ${name.padEnd(24)}${gzip.toFixed(1).padStart(6)} kB gzip ${brotli.toFixed(1).padStart(6)} kB brotli${note}`
  )

const shortName = (name: string): string => /(\w+)\.tsx?$/.exec(name)?.[1] ?? name

/** Prints what the console's first load and each of its pages add, and checks the first load against its limit. */
export const consoleSizes = async (): Promise<ReadonlyArray<string>> => {
  await succeed("node", ["apps/console/build.ts"])
  const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8")) as Manifest
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true)
  if (entry === undefined) return ["the console: its manifest names no entry."]
  const first = new Set(["index.html", ...filesOf(manifest, entry)])
  const size = sizeOf(first)
  print("console, first load", size, ` of ${limit}`)
  for (const [name, { isDynamicEntry }] of Object.entries(manifest)) {
    if (isDynamicEntry !== true) continue
    print(`  ${shortName(name)}`, sizeOf([...filesOf(manifest, name)].filter((file) => !first.has(file))))
  }
  return size.gzip <= limit
    ? []
    : [`the console: ${size.gzip.toFixed(1)} kB is over the limit of ${limit} kB. It loads ${[...first].join(", ")}.`]
}
