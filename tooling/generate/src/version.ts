import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../release/src/program.ts"
import type { Generated } from "./Generated.ts"

/** The client's version, for its user agent. */
export const version: Generated = {
  file: "packages/client/src/options/environment.ts",
  make: async (text) => {
    const manifest: { readonly version: string } = JSON.parse(
      readFileSync(join(root, "packages/client/package.json"), "utf8")
    )
    return text.replace(/(?<=const version = ")[^"]*/, manifest.version)
  }
}
