import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { pack } from "./pack.ts"
import { program, root, succeed } from "./program.ts"

const usage = "Usage: pnpm image [--base <image>] [--with <docker, podman or buildah>] [--tag <name>]"

const builders = ["docker", "podman", "buildah"] as const

const found = async (): Promise<string> => {
  for (const builder of builders) if ((await program(builder, ["--version"])).ok) return builder
  throw new Error(`None of ${builders.join(", ")} is installed.`)
}

/** Fills the folder with the gateway as npm installs it from the packed packages. */
const installGateway = async (into: string): Promise<void> => {
  const tarballs = mkdtempSync(join(tmpdir(), "tollgate-tarballs-"))
  try {
    const packed = await pack(tarballs)
    const own = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
    const name = "@tollgate/cli"
    const manifest = { private: true, dependencies: { [name]: own[name] }, overrides: own }
    writeFileSync(join(into, "package.json"), JSON.stringify(manifest))
    const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--loglevel=error"]
    await succeed("npm", ["install", "--ignore-scripts", "--omit=dev", "--install-links", ...quiet], into)
  } finally {
    rmSync(tarballs, { recursive: true })
  }
}

const { values } = parseArgs({
  options: {
    base: { type: "string" },
    with: { type: "string" },
    tag: { type: "string", default: "localhost/tollgate:latest" },
    help: { type: "boolean" }
  }
})

if (values.help === true) {
  console.log(usage)
} else {
  const context = mkdtempSync(join(tmpdir(), "tollgate-image-"))
  try {
    await installGateway(context)
    copyFileSync(join(root, "apps/gateway/deploy/Containerfile"), join(context, "Containerfile"))
    const builder = (values.with ?? (await found())).split(" ")
    const base = values.base === undefined ? [] : ["--build-arg", `BASE=${values.base}`]
    const args = [...builder.slice(1), "build", "-f", "Containerfile", "-t", values.tag, ...base, "."]
    await succeed(builder[0]!, args, context)
    console.log(values.tag)
  } finally {
    rmSync(context, { recursive: true })
  }
}
