import { globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Manifest, published, readManifest } from "./member.ts"
import { root, succeed } from "./program.ts"
import { stage } from "./stage.ts"

/** A tarball as the registry would serve it, and its manifest and files. */
export interface Packed {
  readonly name: string
  readonly tarball: string
  readonly manifest: Manifest
  readonly files: ReadonlyArray<string>
}

/** `tsc -b` does not delete the output of a source file that was deleted. */
const prune = (folder: string): void => {
  const sources = new Set(globSync("**/*.ts", { cwd: join(root, folder, "src") }))
  for (const file of globSync("**/*.{js,d.ts,js.map,d.ts.map}", { cwd: join(root, folder, "dist") }))
    if (!sources.has(file.replace(/\.(js|d\.ts)(\.map)?$/, ".ts"))) rmSync(join(root, folder, "dist", file))
}

const unpack = async (tarball: string, into: string): Promise<Manifest> => {
  mkdirSync(into)
  await succeed("tar", ["-xzf", tarball, "-C", into, "--strip-components=1"])
  return readManifest(join(into, "package.json"))
}

const packStaged = async (into: string): Promise<string> => {
  const staged = mkdtempSync(join(tmpdir(), "tollgate-release-"))
  try {
    await stage(staged)
    const filters = published.map(({ manifest }) => `--filter=${manifest.name}`)
    const pnpm = ["--yes", readManifest(join(root, "package.json")).packageManager!, "--recursive"]
    return await succeed("npx", [...pnpm, ...filters, "pack", "--pack-destination", into, "--json"], staged)
  } finally {
    rmSync(staged, { recursive: true })
  }
}

/** Builds every published package and packs it into a folder, as the next release would. */
export const pack = async (into: string): Promise<ReadonlyArray<Packed>> => {
  for (const { folder } of published) prune(folder)
  await succeed("tsc", ["-b", ...published.map(({ folder }) => folder)])
  const listing = await packStaged(into)
  const packed: ReadonlyArray<{ name: string; filename: string; files: ReadonlyArray<{ path: string }> }> = [
    JSON.parse(listing)
  ].flat()
  return Promise.all(
    packed.map(async ({ files, filename, name }) => ({
      name,
      tarball: filename,
      manifest: await unpack(filename, filename.replace(/\.tgz$/, "")),
      files: files.map(({ path }) => path)
    }))
  )
}
