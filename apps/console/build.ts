import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { digest, dist, filesIn, isUntouched, listed, mark, note, root } from "./sources.ts"

const builtFrom = (): string | undefined => {
  try {
    return readFileSync(mark, "utf8")
  } catch {
    return undefined
  }
}

const brotlied = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** What is worth compressing is compressed once, here, and not at each request. Browsers take brotli over HTTPS alone. */
const writeCompressed = async (folder: string): Promise<void> => {
  for (const file of filesIn(folder).filter((name) => /\.(?:js|css|svg)$/.test(name))) {
    const text = readFileSync(file)
    writeFileSync(`${file}.br`, await brotlied(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
    writeFileSync(`${file}.gz`, await gzipped(text, { level: 9 }))
  }
}

const moveAway = (into: string): void => {
  try {
    renameSync(dist, into)
  } catch {
    // There is none, or another process moved it.
  }
}

/** Puts the files in place at once, so that no other process finds a part of them. */
const replaceDist = (made: string, old: string): void => {
  for (let tries = 1; ; tries++) {
    moveAway(join(old, `${tries}`))
    try {
      return renameSync(made, dist)
    } catch (error) {
      // Another process put its own there in between.
      if (tries === 10) throw error
    }
  }
}

const make = async (wanted: string): Promise<void> => {
  const cache = join(root, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const making = mkdtempSync(join(cache, "making-"))
  try {
    const made = join(making, "dist")
    // A test runner sets it to `test`, and React would be its development build.
    process.env.NODE_ENV = "production"
    const { build } = await import("vite")
    await build({ root, logLevel: "error", build: { outDir: made, emptyOutDir: true } })
    await writeCompressed(made)
    writeFileSync(join(made, basename(mark)), wanted)
    replaceDist(made, making)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

// Builds the console, unless its files are from these sources.
if (!isUntouched()) {
  // Read first: a source that is changed meanwhile is then noticed by the next start.
  const list = listed()
  const wanted = digest()
  if (builtFrom() !== wanted) await make(wanted)
  note(list)
}
