import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
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

/** Packs every published package into a folder, as the next release would be. */
export const pack = async (into: string): Promise<ReadonlyArray<Packed>> => {
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
