import cluster, { type Worker } from "node:cluster"
import { get } from "node:http"
import { fileURLToPath } from "node:url"
import { afterAll, expect, it } from "vitest"

const exec = fileURLToPath(new URL("./fixtures/worker.ts", import.meta.url))

const started: Array<Worker> = []
afterAll(() => Promise.all(started.map((worker) => ended(worker))))

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
