import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isUntouched } from "../apps/console/sources.ts"
import { typed } from "../apps/gateway/src/terminal/print.ts"

const workspace = join(import.meta.dirname, "..")

const { packageManager } = JSON.parse(readFileSync(join(workspace, "package.json"), "utf8")) as {
  readonly packageManager: string
}
typed.program = `npx --yes ${packageManager} start`

const [command = "start"] = process.argv.slice(2)

// Only the gateway itself serves the console. A process of its own builds it, so that this one stays small.
if (command === "start" && !isUntouched()) {
  execFileSync(process.execPath, [join(workspace, "apps/console/build.ts")], { stdio: "inherit" })
}

await import("../apps/gateway/src/main.ts")
