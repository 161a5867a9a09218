import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { formattedMarkdown } from "./release/src/formattedMarkdown.ts"
import { program, root, succeed } from "./release/src/program.ts"

/** With `--check` nothing is written: a file that is not formatted is named and fails the run. */
const isCheck = process.argv.includes("--check")

const { ok, output } = await program("oxfmt", isCheck ? ["--check"] : [])
process.stdout.write(output)
if (!ok) process.exitCode = 1

const listed = await succeed("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"])
for (const file of listed.split("\n").filter(Boolean)) {
  const path = join(root, file)
  const text = readFileSync(path, "utf8")
  const formatted = await formattedMarkdown(file, text)
  if (formatted === text) continue
  if (isCheck) {
    console.log(file)
    process.exitCode = 1
  } else writeFileSync(path, formatted)
}
