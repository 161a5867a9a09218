import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { imageOf } from "./imageOf.ts"
import { pack } from "./pack.ts"
import { program } from "./program.ts"

const usage = "Usage: pnpm image [--base <image>] [--with docker|podman|buildah] [--tag <name>]"

const builders = ["docker", "podman", "buildah"]

const installed = async (): Promise<string> => {
  for (const builder of builders) if ((await program(builder, ["--version"])).ok) return builder
  throw new Error(`None of ${builders.join(", ")} is installed.`)
}

const { values } = parseArgs({
  options: {
    base: { type: "string" },
    with: { type: "string" },
    tag: { type: "string", default: "localhost/tollgate:latest" },
    help: { type: "boolean", default: false }
  }
})

const build = async (): Promise<void> => {
  const tarballs = mkdtempSync(join(tmpdir(), "tollgate-tarballs-"))
  try {
    const builder = [values.with ?? (await installed())]
    await imageOf(await pack(tarballs), { tag: values.tag, builder, base: values.base })
    console.log(values.tag)
  } finally {
    rmSync(tarballs, { recursive: true })
  }
}

if (values.help) console.log(usage)
else await build()
