import cluster, { type Worker } from "node:cluster"
import { once } from "node:events"
import { createServer } from "node:net"

// Two bare workers that share a port. `handed`: the first process accepts all connections and hands them over, as the gateway
// does. `reusePort`: each worker listens itself, and the system chooses between them.
const [mode = "", port = "", stallMillis = ""] = process.argv.slice(2)

const serve = () => {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.on("data", () => socket.end(String(process.pid)))
  })
  process.on("message", (told) => {
    if (told === "stop") {
      server.close()
      process.send?.("left")
      return
    }
    // Each connection that was still handed to this process has been returned before.
    if (told === "end") {
      process.disconnect()
      return
    }
    process.send?.("stalls")
    // Later, so that the message is sent before.
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(stallMillis)), 5)
  })
  const reusePort = mode === "reusePort"
  server.listen({ port: Number(port), host: "127.0.0.1", reusePort }, () => process.send?.("listens"))
}

const start = async (): Promise<Worker> => {
  const worker = cluster.fork()
  await once(worker, "message")
  return worker
}

/** The next one listens before the one that it replaces stops. */
const replace = async (workers: Array<Worker>): Promise<void> => {
  workers.push(await start())
  const old = workers.shift()!
  old.send("stop")
  await once(old, "message")
  const ended = once(old, "exit")
  old.send("end")
  await ended
}

const stall = async ([worker]: ReadonlyArray<Worker>): Promise<void> => {
  worker!.send("stall")
  await once(worker!, "message")
}

if (cluster.isWorker) serve()
else {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ args: [mode, port, stallMillis] })
  const workers = [await start(), await start()]
  process.on("message", (told) => {
    void (told === "replace" ? replace(workers) : stall(workers)).then(() => process.send?.("done"))
  })
  process.on("disconnect", () => process.exit(0))
  process.send?.({ port: Number(port) })
}
