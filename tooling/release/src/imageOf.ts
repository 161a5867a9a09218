import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Packed } from "./pack.ts"
import { root, succeed } from "./program.ts"

export const containerfile = join(root, "apps/gateway/deploy/Containerfile")

/** Fills the folder with the gateway as npm installs it from the packed packages. */
const installGateway = async (packed: ReadonlyArray<Packed>, into: string): Promise<void> => {
  const own = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const name = "@tollgate/cli"
  writeFileSync(
    join(into, "package.json"),
    JSON.stringify({ private: true, dependencies: { [name]: own[name] }, overrides: own })
  )
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--loglevel=error"]
  await succeed("npm", ["install", "--ignore-scripts", "--omit=dev", ...quiet], into)
}

export interface Image {
  readonly tag: string
  /** The program that builds it, with its options, such as `docker`. */
  readonly builder: ReadonlyArray<string>
  /** Default: that of the Containerfile. */
  readonly base?: string | undefined
}

/** Builds the container image of the gateway. */
export const imageOf = async (packed: ReadonlyArray<Packed>, { base, builder, tag }: Image): Promise<void> => {
  const context = mkdtempSync(join(tmpdir(), "tollgate-image-"))
  try {
    await installGateway(packed, context)
    copyFileSync(containerfile, join(context, "Containerfile"))
    const [program = "", ...options] = builder
    const from = base === undefined ? [] : ["--build-arg", `BASE=${base}`]
    await succeed(program, [...options, "build", "-f", "Containerfile", "-t", tag, ...from, "."], context)
  } finally {
    rmSync(context, { recursive: true })
  }
}
