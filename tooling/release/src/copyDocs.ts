import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { root } from "./program.ts"

// Runs as `prepack`: a package from npm has the documents beside it.
rmSync("docs", { recursive: true, force: true })
mkdirSync("docs/images", { recursive: true })
for (const file of globSync("docs/*.md", { cwd: root }))
  writeFileSync(join("docs", basename(file)), withoutDeadLinks(readFileSync(join(root, file), "utf8")))
for (const file of globSync("docs/images/*.svg", { cwd: root }))
  copyFileSync(join(root, file), join("docs/images", basename(file)))

/** Outside of the repository a link to another folder leads nowhere, and screenshots are left out: their texts stay. */
function withoutDeadLinks(page: string): string {
  return page.replace(/!\[([^\]]+)\]\(images\/[^)]*\.webp\)/g, "$1").replace(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, "$1")
}
