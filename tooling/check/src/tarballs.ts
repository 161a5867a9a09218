import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pack, type Packed } from "../../release/src/pack.ts"
import { subpaths } from "../../release/src/subpath.ts"
import { command, lines } from "./Check.ts"
import { missing } from "./complete.ts"

const attw = ["--profile", "esm-only", "--format", "ascii", "--no-emoji"]

/** The entry points by their names, and one module of each pattern: `packed.slow.test.ts` imports and compiles every module. */
const entryPoints = (packed: Packed): ReadonlyArray<string> => {
  const { open } = subpaths(packed)
  return Object.entries(packed.manifest.exports ?? {}).flatMap(([key, target]) => {
    if (target === null) return []
    const [head = ""] = `${packed.name}${key.slice(1)}`.split("*")
    return open.find((path) => (key.includes("*") ? path.startsWith(head) : path === head)) ?? []
  })
}

const inspect = async (packed: Packed): Promise<Array<string>> => [
  ...missing(packed),
  ...(await Promise.all([
    command("publint", "run", packed.tarball, "--strict")(),
    command("attw", packed.tarball, ...attw, "--entrypoints", ...entryPoints(packed))()
  ]))
]

/** Looks for missing files and fields in the packed tarballs, and runs publint and are-the-types-wrong on them. */
export const tarballs = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tarballs-"))
  try {
    const all = await pack(folder)
    const found: Array<string> = []
    for (const packed of all) found.push(...(await inspect(packed)))
    return lines(found.filter((problem) => problem !== ""))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
