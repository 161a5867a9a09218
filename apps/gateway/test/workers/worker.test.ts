import cluster from "node:cluster"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { Worker } from "../../src/workers/Worker.ts"

const exec = fileURLToPath(new URL("./starting.program.ts", import.meta.url))

/** Bounds only a failure: programs take long to start on a busy machine. */
const patience = 240_000

const start = async () => {
  cluster.setupPrimary({ exec, args: [], execArgv: [] })
  const worker = new Worker(1, async () => "")
  const [started] = await once(cluster, "message")
  return { worker, beReady: () => void started.send("be ready") }
}

it(
  "a worker that may be taking calls before it is known to be ready is replaced, not stopped",
  async () => {
    const { beReady, worker } = await start()
    const replaced = worker.replace()
    beReady()
    await replaced
    expect((await worker.ended).code).toBe(3)
  },
  patience
)

it(
  "a worker that is stopped does not have to be ready",
  async () => {
    const { worker } = await start()
    const replaced = worker.replace()
    await worker.stop()
    await replaced
    expect((await worker.ended).code).toBe(2)
  },
  patience
)
