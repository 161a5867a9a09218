import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { Agent, get } from "node:http"
import { readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { call } from "./calling.ts"
import { addressIn, folder, keyIn, type Program, removeFolders, start } from "./program.ts"
import { tollgate } from "./tollgate.ts"

const scope = Scope.makeUnsafe()
afterAll(removeFolders)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** The processes that a process started. */
const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(pid)
      } catch {
        return false
      }
    })
    .map(Number)

/** Bounds only a failure: a worker takes long to start on a busy machine. */
const patience = 240_000

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

interface Answer {
  readonly text: string
  /** Whether the connection is kept for another call. */
  readonly isKept: boolean
}

/** On a connection of its own, unless an agent is given: the workers get them in turn. */
const answerAt = (url: string, agent: Agent | false = false): Promise<Answer> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => (text += part))
      response.once("end", () => resolve({ text, isKept: response.headers.connection !== "close" }))
    }).once("error", reject)
  })

const readAt = async (url: string): Promise<string> => (await answerAt(url)).text

/** The sum of the series whose lines begin like this. */
const sumOf = (text: string, series: string): number =>
  text
    .split("\n")
    .filter((line) => line.startsWith(series))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)

const countIn = (text: string) => sumOf(text, "tollgate_requests_total{")

const silentIn = (text: string) => sumOf(text, "tollgate_metrics_silent_workers_total")

/** Reads the metrics again if a worker was left out, as one is on a busy machine. */
const scrape = async (url: string): Promise<string> => {
  let text = await readAt(url)
  for (;;) {
    const next = await readAt(url)
    if (next.includes("tollgate_workers ") && silentIn(next) === silentIn(text)) return next
    text = next
  }
}

it("needs a store that several processes can use, and a count that makes sense", async () => {
  const { code, stderr, stdout } = await tollgate({ TOLLGATE_DATA: folder() }, "start", "--workers", "2")
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr).toMatch(/^--workers needs TOLLGATE_STORE: [^\n]+\n$/)
  for (const count of ["0", "65", "-1", "many"]) {
    const { code } = await tollgate({ TOLLGATE_DATA: folder() }, "start", "--workers", count)
    expect(code).toBe(1)
  }
})

describe.runIf(hasPostgres && process.platform === "linux")("two workers", () => {
  let program: Program
  let address = ""
  let key = ""
  let metrics = ""
  const env: Record<string, string> = {
    TOLLGATE_DATA: folder(),
    TOLLGATE_METRICS_PORT: "0",
    NODE_CLUSTER_SCHED_POLICY: "none"
  }
  const workers = () => childrenOf(program.child.pid!)

  afterAll(() => program.stop(), patience)

  beforeAll(async () => {
    const database = await Effect.runPromise(Scope.provide(emptyDatabase, scope))
    env.TOLLGATE_STORE = Redacted.value(database)
    program = start(env, ["start", "--workers", "2"])
    const banner = await program.started
    address = addressIn(banner)
    key = keyIn(banner)
    metrics = /metrics {2}(http:\S+)/.exec(banner)?.[1] ?? ""
    const [account = ""] = /acct_\w+/.exec((await tollgate(env, "accounts", "list")).stdout) ?? []
    expect((await tollgate(env, "accounts", "set", account, "--rpm", "1000000")).stderr).toBe("")
  }, patience)

  it("share a port and the books, and one key is created", async () => {
    expect(workers()).toHaveLength(2)
    const statuses = await Promise.all(Array.from({ length: 8 }, () => call(address, key)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await tollgate(env, "keys", "list", "--json")).stdout.match(/"id"/g)).toHaveLength(1)
    const { stdout } = await tollgate(env, "export")
    expect(stdout.trim().split("\n")).toHaveLength(9)
  })

  it("add up their metrics: whichever is asked tells what both have done", async () => {
    for (let i = 0; i < 4; i++) {
      const text = await scrape(metrics)
      expect(countIn(text)).toBe(8)
      expect(sumOf(text, "tollgate_request_duration_seconds_count")).toBe(8)
      expect(sumOf(text, "tollgate_store_up")).toBe(1)
      expect(sumOf(text, "tollgate_store_connections_limit")).toBe(20)
      expect(sumOf(text, "tollgate_workers ")).toBe(2)
    }
  })

  it("go on if there is no configuration file to read again", async () => {
    const before = workers()
    let printed = ""
    program.child.stdout!.on("data", (text: string) => (printed += text))
    program.child.kill("SIGHUP")
    await until(() => /hangup|ended by SIGHUP/i.test(printed))
    expect(printed).toMatch(/^\S+Z WARN {2}hangup: there is no configuration file to read again$/m)
    expect(workers()).toEqual(before)
  })

  it(
    "one that is killed is started again, and the other goes on",
    async () => {
      const [killed] = workers()
      let printed = ""
      program.child.stdout!.on("data", (text: string) => (printed += text))
      process.kill(killed!, "SIGKILL")
      await until(() => workers().length === 2 && !workers().includes(killed!))
      await until(async () => (await readAt(`${address}/readyz`)) === "ready")
      expect(countIn(await scrape(metrics))).toBe(8)
      expect(await call(address, key)).toBe(200)
      let text = ""
      // One that has just started may take a call before its metrics are asked for.
      await until(async () => countIn((text = await scrape(metrics))) === 9)
      expect(sumOf(text, "tollgate_workers_failed_total")).toBe(1)
      expect(printed).toMatch(
        new RegExp(`WARN  a worker ended; another one is started worker=\\d process=${killed} how="ended by SIGKILL"`)
      )
    },
    patience
  )

  it(
    "end with the process that started them, and the books are right",
    async () => {
      const pids = workers()
      const { code, stderr } = await program.stop()
      expect([code, stderr]).toEqual([0, ""])
      for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow()
      const audit = await tollgate(env, "audit")
      expect([audit.code, audit.stderr]).toEqual([0, ""])
    },
    patience
  )
})
