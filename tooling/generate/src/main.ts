import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../release/src/program.ts"
import { docsRevision } from "./docsRevision.ts"
import type { Generated } from "./Generated.ts"
import { reference } from "./reference.ts"
import { rules } from "./rules.ts"
import { version } from "./version.ts"

/** With `--check` nothing is written: a stale file is named and fails the run. */
const isCheck = process.argv.includes("--check")

const update = async ({ file, make }: Generated): Promise<void> => {
  const path = join(root, file)
  const old = readFileSync(path, "utf8")
  const text = await make(old)
  if (text === old) return
  if (isCheck) {
    console.log(`${file} is stale: run \`pnpm generate\`.`)
    process.exitCode = 1
  } else {
    writeFileSync(path, text)
    console.log(`${file} is written.`)
  }
}

await Promise.all([docsRevision, reference, rules, version].map(update))
