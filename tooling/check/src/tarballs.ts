import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pack, type Packed } from "../../release/src/pack.ts"
import { command, lines } from "./Check.ts"

const inspect = async ({ tarball }: Packed): Promise<Array<string>> => [
  await command("publint", "run", tarball, "--strict")(),
  await command("attw", tarball, "--profile", "esm-only", "--format", "ascii", "--no-emoji")()
]

/** Runs publint and are-the-types-wrong on the packed tarballs. */
export const tarballs = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tarballs-"))
  try {
    const found: Array<string> = []
    for (const packed of await pack(folder)) found.push(...(await inspect(packed)))
    return lines(found.filter((problem) => problem !== ""))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
