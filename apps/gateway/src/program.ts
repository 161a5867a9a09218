import { NodeRuntime } from "@tollgate/server"
import { run } from "./commands/tollgate.ts"

// Files that the gateway creates are readable by their owner only.
process.umask(0o077)

// If the reader of the output closes it early, the write itself reports the error.
process.stdout.on("error", () => {})

NodeRuntime.stayReady()
NodeRuntime.runMain(run(process.argv.slice(2)))
