import { globSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Manifest, published, readManifest } from "./member.ts"
import { root, succeed } from "./program.ts"

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

/** Builds every published package and packs it into a folder. */
export const pack = async (into: string): Promise<ReadonlyArray<Packed>> => {
  for (const { folder } of published) prune(folder)
  await succeed("tsc", ["-b", ...published.map(({ folder }) => folder)])
  const filters = published.map(({ manifest }) => `--filter=${manifest.name}`)
  const pnpm = ["--yes", readManifest(join(root, "package.json")).packageManager!, "--recursive"]
  const listing = await succeed("npx", [...pnpm, ...filters, "pack", "--pack-destination", into, "--json"])
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
