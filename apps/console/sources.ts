import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"

export const root = import.meta.dirname
const workspace = join(root, "../..")
export const dist = join(root, "dist")
/** Holds the digest of the sources that the built files are from. */
export const mark = join(dist, ".sources")
/** Holds the size and time of each of them, which are read much faster. */
const times = join(dist, ".times")

export const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .toSorted()

/** Everything that the built files depend on. */
const sources = (): ReadonlyArray<string> => [
  ...filesIn(join(root, "src")),
  ...["index.html", "vite.config.ts", "build.ts", "sources.ts", "package.json"].map((name) => join(root, name)),
  ...["contract", "client", "browser", "react"].flatMap((name) => filesIn(join(workspace, "packages", name, "src"))),
  ...filesIn(join(workspace, "packages/gateway/src/html")),
  join(workspace, "pnpm-lock.yaml")
]

export const digest = (): string => {
  const hash = createHash("sha256")
  for (const file of sources())
    hash
      .update(`${relative(workspace, file)}\0`)
      .update(readFileSync(file))
      .update("\0")
  return hash.digest("hex")
}

/** The sources with their sizes and times. */
export const listed = (): string =>
  sources()
    .map((file) => {
      const { mtimeMs, size } = statSync(file)
      return `${relative(workspace, file)} ${size} ${mtimeMs}\n`
    })
    .join("")

/** Remembers that the built files are from these sources. */
export const note = (list: string): void => {
  try {
    writeFileSync(times, list)
  } catch {
    // Another process replaces the built files.
  }
}

/** Whether no source was touched since. */
export const isUntouched = (): boolean => {
  try {
    return readFileSync(times, "utf8") === listed()
  } catch {
    return false
  }
}
