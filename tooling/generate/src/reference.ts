import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { succeed } from "../../release/src/program.ts"
import type { Generated } from "./Generated.ts"

/** The reference page, as the `tollgate` command writes it. */
export const reference: Generated = {
  file: "docs/reference.md",
  make: async (text) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-generate-"))
    const copy = join(folder, "reference.md")
    try {
      writeFileSync(copy, text)
      await succeed("node", ["apps/gateway/src/main.ts", "reference", "--into", copy])
      return readFileSync(copy, "utf8")
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}
