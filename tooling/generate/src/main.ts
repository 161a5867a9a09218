import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "../../release/src/program.ts"
import type { Generated } from "./Generated.ts"

/** With `--check` nothing is written: a stale file is named and fails the run. */
const isCheck = process.argv.includes("--check")

const update = async ({ file, make }: Generated): Promise<void> => {
  const path = join(root, file)
  const old = existsSync(path) ? readFileSync(path, "utf8") : ""
  const text = await make(old)
  if (text === old) return
  if (isCheck) {
    console.log(`${file} is stale: run \`pnpm generate\`.`)
    process.exitCode = 1
  } else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`${file} is written.`)
  }
}

// What is made from the list of operations is loaded when the list is right.
await update((await import("./operations.ts")).operations)
await Promise.all([
  update((await import("./clientOperations.ts")).clientOperationTypes),
  update((await import("./clientOperations.ts")).clientOperations),
  update((await import("./clientPromises.ts")).clientPromises),
  update((await import("./clientTypes.ts")).clientTypes),
  update((await import("./clientTypes.ts")).clientBindable),
  update((await import("./consoleSegments.ts")).consoleSegments),
  update((await import("./docsRevision.ts")).docsRevision),
  ...(await import("./managementApi.ts")).managementApi.map(update),
  ...(await import("./pictures/pictures.ts")).pictures.map(update),
  update((await import("./losses.ts")).lossTable),
  update((await import("./rules.ts")).rules),
  update((await import("./settings.ts")).settings),
  update((await import("./version.ts")).version)
])
// The program that writes the reference needs all of these.
await update((await import("./reference.ts")).reference)
