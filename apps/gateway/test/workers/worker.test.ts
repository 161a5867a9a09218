import cluster, { type ClusterSettings } from "node:cluster"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { Worker } from "../../src/serve/workers/Worker.ts"

/** Bounds only a failure: programs take long to start on a busy machine. */
const timeout = 240_000

const start = (program: string, settings: ClusterSettings = {}) => {
  const exec = fileURLToPath(new URL(`./${program}.program.ts`, import.meta.url))
  cluster.setupPrimary({ exec, args: [], execArgv: [], cwd: undefined, ...settings })
  return new Worker(1, async () => "")
}

const starting = async () => {
  const worker = start("starting")
  await once(cluster, "message")
  return worker
}

it("a worker that is stopped does not have to be ready", { timeout }, async () => {
  const worker = await starting()
  await worker.stop()
  expect((await worker.ended).code).toBe(2)
})

it("a worker that cannot be started has ended", { timeout }, async () => {
  const worker = start("starting", { cwd: "/there/is/no/such/folder" })
  expect(await worker.ready).toBe(undefined)
  expect(await worker.ended).toEqual({ code: 1, how: "not started: ENOENT" })
})

const sleep = (millis: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)
const isDead = (pid: number | undefined) => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")

it.runIf(process.platform === "linux")(
  "a worker that is killed while it opens its port does not end the process that started it",
  { timeout },
  async () => {
    const worker = start("killed")
    // What it asked for is answered when it is dead.
    while (!isDead(worker.pid)) sleep(10)
    expect(await worker.ended).toEqual({ code: 1, how: "ended by SIGKILL" })
  }
)
