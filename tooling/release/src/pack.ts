import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { cached } from "./cached.ts"
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

const packStaged = async (into: string): Promise<void> => {
  const staged = mkdtempSync(join(tmpdir(), "tollgate-release-"))
  try {
    await stage(staged)
    const filters = published.map(({ manifest }) => `--filter=${manifest.name}`)
    const pnpm = ["--yes", readManifest(join(root, "package.json")).packageManager!, "--recursive"]
    const args = [...pnpm, ...filters, "pack", "--pack-destination", into, "--json"]
    writeFileSync(join(into, "packed.json"), await succeed("npx", args, staged))
  } finally {
    rmSync(staged, { recursive: true })
  }
}

interface Listed {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Packs every published package into a folder, as the next release would be. */
export const pack = async (into: string): Promise<ReadonlyArray<Packed>> => {
  await cached(into, packStaged)
  const listed: ReadonlyArray<Listed> = [JSON.parse(readFileSync(join(into, "packed.json"), "utf8"))].flat()
  return Promise.all(
    listed.map(async ({ filename, files, name }) => {
      const tarball = join(into, basename(filename))
      const manifest = await unpack(tarball, tarball.replace(/\.tgz$/, ""))
      return { name, tarball, manifest, files: files.map(({ path }) => path) }
    })
  )
}
