import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { program, succeed } from "./program.ts"

/** Why no image can be built on this machine, if so. */
export const noContainers = async (): Promise<string | undefined> => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs to be root on Linux"
  return (await program("buildah", ["--version"])).ok ? undefined : "install buildah (Debian: apt-get install buildah)"
}

/** Buildah with a storage of its own, without namespaces: they are often not allowed. */
export const buildahIn = (folder: string): ReadonlyArray<string> => {
  process.env.BUILDAH_ISOLATION = "chroot"
  return ["buildah", "--storage-driver", "vfs", "--root", join(folder, "root"), "--runroot", join(folder, "run")]
}

/** The libraries that a program loads. */
const librariesOf = (path: string): ReadonlyArray<string> =>
  [...execFileSync("ldd", [path], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g)].map(([, library = ""]) => library)

/** Builds a base image of this machine's Node and the few programs of Debian that the Containerfile runs. */
export const baseImage = async ([buildah = "", ...options]: ReadonlyArray<string>, tag: string): Promise<void> => {
  const context = mkdtempSync(join(tmpdir(), "tollgate-base-"))
  const programs = ["sh", "mkdir", "chown", "chmod"].map((name) => [
    join("/bin", name),
    realpathSync(join("/bin", name))
  ])
  const files = new Map([
    ["/usr/local/bin/node", process.execPath],
    ...programs.map(([to = "", from = ""]) => [to, from] as const)
  ])
  for (const path of [process.execPath, ...programs.map(([, from = ""]) => from)])
    for (const library of librariesOf(path)) files.set(library, realpathSync(library))
  for (const [to, from] of files) {
    mkdirSync(join(context, "base", dirname(to)), { recursive: true })
    if (!existsSync(join(context, "base", to))) copyFileSync(from, join(context, "base", to))
  }
  mkdirSync(join(context, "base/tmp"), { mode: 0o777 })
  writeFileSync(join(context, "Containerfile"), "FROM scratch\nCOPY base /\n")
  await succeed(buildah, [...options, "build", "-t", tag, "."], context)
}
