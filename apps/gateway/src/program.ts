import { NodeRuntime } from "@tollgate/server"
import cluster from "node:cluster"
import { run } from "./commands/tollgate.ts"

// If the reader of the output closes it early, the write itself reports the error.
process.stdout.on("error", () => {})

NodeRuntime.stayReady()
// The process that started the workers stops them.
NodeRuntime.runMain(run(process.argv.slice(2)), { isWorker: cluster.isWorker })
