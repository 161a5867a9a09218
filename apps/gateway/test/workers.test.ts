import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { calling } from "./calling.ts"
import { addressIn, folder, keyIn, type Program, removeFolders, rerank, start } from "./program.ts"
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
  const env: Record<string, string> = { TOLLGATE_DATA: folder() }
  const workers = () => childrenOf(program.child.pid!)

  beforeAll(async () => {
    const database = await Effect.runPromise(Scope.provide(emptyDatabase, scope))
    env.TOLLGATE_STORE = Redacted.value(database)
    program = start(env, ["start", "--workers", "2"])
    const banner = await program.started
    address = addressIn(banner)
    key = keyIn(banner)
    const [account = ""] = /acct_\w+/.exec((await tollgate(env, "accounts", "list")).stdout) ?? []
    expect((await tollgate(env, "accounts", "set", account, "--rpm", "1000000")).stderr).toBe("")
  }, patience)

  it("share a port and the books, and one key is created", async () => {
    expect(workers()).toHaveLength(2)
    const statuses = await Promise.all(
      Array.from({ length: 8 }, () => rerank(address, key).then(({ status }) => status))
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await tollgate(env, "keys", "list", "--json")).stdout.match(/"id"/g)).toHaveLength(1)
    const { stdout } = await tollgate(env, "export")
    expect(stdout.trim().split("\n")).toHaveLength(9)
  })

  it(
    "one that is killed is started again, and the other goes on",
    async () => {
      const [killed] = workers()
      process.kill(killed!, "SIGKILL")
      await until(() => workers().length === 2 && !workers().includes(killed!))
      await until(async () => (await fetch(`${address}/readyz`)).status === 200)
      expect((await rerank(address, key)).status).toBe(200)
    },
    patience
  )

  it(
    "are replaced one after the other without a refused call, if asked to",
    async () => {
      const before = workers()
      const callers = calling(address, key)
      program.child.kill("SIGUSR2")
      await until(() => workers().length === 2 && workers().every((pid) => !before.includes(pid)))
      await callers.more(10)
      const statuses = await callers.end()
      expect([...statuses.keys()]).toEqual([200])
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
