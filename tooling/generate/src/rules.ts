import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../release/src/program.ts"
import type { Generated } from "./Generated.ts"

const marked = /<!-- rules -->\n+(.*?)\n+<!-- \/rules -->/s

const escaped = (text: string): string => text.replace(/[\\`]|\$\{/g, "\\$&")

/** The rules of docs/reference.md, for the pages that a gateway serves. */
export const rules: Generated = {
  file: "packages/contract/src/reference/generated/rules.ts",
  make: async (text) => {
    const page = readFileSync(join(root, "docs/reference.md"), "utf8")
    const written = marked.exec(page)?.[1]
    if (written === undefined) throw new Error("docs/reference.md has no <!-- rules --> … <!-- /rules -->.")
    return text.replace(/(?<=rules = `).*(?=`\n$)/s, () => `\n${escaped(written)}\n`)
  }
}
