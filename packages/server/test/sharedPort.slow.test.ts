import cluster, { type Worker } from "node:cluster"
import { once } from "node:events"
import { get } from "node:http"
import { connect } from "node:net"
import { fileURLToPath } from "node:url"
import { afterEach, expect, it } from "vitest"

const exec = fileURLToPath(new URL("./fixtures/worker.ts", import.meta.url))

const started: Array<Worker> = []
afterEach(() => Promise.all(started.splice(0).map((worker) => ended(worker))))

const ended = (worker: Worker) =>
  new Promise<void>((resolve) => {
    worker.once("exit", () => resolve())
    worker.process.kill("SIGKILL")
  })

const start = () => {
  cluster.setupPrimary({ exec, args: [], execArgv: [] })
  const worker = cluster.fork()
  started.push(worker)
  return worker
}

const message = (worker: Worker) => new Promise<string>((resolve) => worker.once("message", resolve))

/** What a connection of its own reads. */
const read = (url: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => (text += part))
      response.once("end", () => resolve(Number(text)))
    }).once("error", reject)
  })

/** Bounds only a failure: programs take long to start on a busy machine. */
const patience = 240_000

it("a worker leaves connections to the others until its application is built", { timeout: patience }, async () => {
  const first = start()
  const url = await message(first)
  first.send("build")
  expect(await message(first)).toBe("built")

  const second = start()
  expect(await message(second)).toBe(url)
  const pid = first.process.pid
  const calls = Promise.all(Array.from({ length: 4 }, () => read(url)))
  expect(await Promise.race([calls, message(second)])).toEqual([pid, pid, pid, pid])

  second.send("build")
  expect(await message(second)).toBe("built")
  expect(new Set([await read(url), await read(url)])).toEqual(new Set([pid, second.process.pid]))
})

it(
  "workers that are all full close a connection, rather than hand it to each other without end",
  { timeout: patience },
  async () => {
    const only = start()
    const url = await message(only)
    only.send("build")
    expect(await message(only)).toBe("built")
    const port = Number(new URL(url).port)
    // The fixture's limit.
    const held = Array.from({ length: 20 }, () => connect(port, "127.0.0.1").resume())
    await Promise.all(held.map((socket) => once(socket, "connect")))
    // The worker gets them in their order.
    await once(connect(port, "127.0.0.1").resume(), "close")
    expect(held.some(({ closed }) => closed)).toBe(false)
    for (const socket of held) socket.destroy()
  }
)
