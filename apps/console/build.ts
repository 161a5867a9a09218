import { createHash } from "node:crypto"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants } from "node:zlib"

const root = import.meta.dirname
const workspace = join(root, "../..")
const dist = join(root, "dist")
const mark = join(dist, ".sources")

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .toSorted()

/** Everything that the built files depend on. */
const sources = (): ReadonlyArray<string> => [
  ...["src", "public"].flatMap((folder) => filesIn(join(root, folder))),
  ...["index.html", "vite.config.ts", "build.ts", "package.json"].map((name) => join(root, name)),
  ...["contract", "client", "browser", "react"].flatMap((name) => filesIn(join(workspace, "packages", name, "src"))),
  ...filesIn(join(workspace, "packages/gateway/src/html")),
  join(workspace, "pnpm-lock.yaml")
]

const digest = (): string => {
  const hash = createHash("sha256")
  for (const file of sources())
    hash
      .update(`${relative(workspace, file)}\0`)
      .update(readFileSync(file))
      .update("\0")
  return hash.digest("hex")
}

const builtFrom = (): string | undefined => {
  try {
    return readFileSync(mark, "utf8")
  } catch {
    return undefined
  }
}

const compress = promisify(brotliCompress)

/** What is worth compressing is compressed once, here, and not at each request. */
const writeCompressed = async (): Promise<void> => {
  for (const file of filesIn(dist).filter((name) => /\.(?:js|css|html|svg)$/.test(name))) {
    const text = readFileSync(file)
    writeFileSync(`${file}.br`, await compress(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  }
}

/** Builds the console, unless its files are from these sources. `true`: it was built. */
const buildIfChanged = async (): Promise<boolean> => {
  const wanted = digest()
  if (builtFrom() === wanted) return false
  rmSync(mark, { force: true })
  const { build } = await import("vite")
  await build({ root, logLevel: "error", build: { emptyOutDir: true } })
  await writeCompressed()
  writeFileSync(mark, wanted)
  return true
}

await buildIfChanged()
