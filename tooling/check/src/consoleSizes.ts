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

/** What a page may weigh when it is the first that somebody opens: in kB (1,000 bytes) as sent, and in files. */
const most = { brotli: 151, files: 6 }

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

/** Pages share most of their files: each is compressed once. */
const measured = new Map<string, Size>()

const sizeOfFile = (file: string): Size => {
  const known = measured.get(file)
  if (known !== undefined) return known
  const bytes = readFileSync(join(dist, file))
  const size = {
    gzip: gzipSync(bytes, { level: 9 }).length / 1000,
    brotli: brotliCompressSync(bytes).length / 1000
  }
  measured.set(file, size)
  return size
}

const sizeOf = (files: Iterable<string>): Size =>
  [...files].map(sizeOfFile).reduce((sum, { brotli, gzip }) => ({ gzip: sum.gzip + gzip, brotli: sum.brotli + brotli }))

const shortName = (name: string): string => /(\w+)\.tsx?$/.exec(name)?.[1] ?? name

/** Prints what each page of the console weighs when it is opened first, and checks it against the limit. */
export const consoleSizes = async (): Promise<ReadonlyArray<string>> => {
  await succeed("node", ["apps/console/build.ts"])
  const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8")) as Manifest
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true)
  if (entry === undefined) return ["the console: its manifest names no entry."]
  if (manifest["style.css"] === undefined) return ["the console: its manifest names no file of styles."]
  return Object.keys(manifest)
    .filter((name) => name === entry || manifest[name]?.isDynamicEntry === true)
    .flatMap((name) => {
      const files = new Set([
        "index.html",
        ...["style.css", entry, name].flatMap((each) => [...filesOf(manifest, each)])
      ])
      const { brotli, gzip } = sizeOf(files)
      const page = name === entry ? "console, every page" : `  ${shortName(name)}`
      console.log(
        `  ${page.padEnd(24)}${gzip.toFixed(1).padStart(6)} kB gzip ${brotli.toFixed(1).padStart(6)} kB brotli in ${files.size} files`
      )
      return brotli <= most.brotli && files.size <= most.files
        ? []
        : [
            `the console, ${page.trim()}: over ${most.brotli} kB or ${most.files} files. It loads ${[...files].join(", ")}.`
          ]
    })
}
