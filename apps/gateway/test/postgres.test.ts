import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { addressIn, bytesIn, folder, keyIn, type Program, removeFolders, rerank, start } from "./program.ts"
import { tollgate } from "./tollgate.ts"

const scope = Scope.makeUnsafe()
const running: Array<Program> = []
const run = (env: Readonly<Record<string, string>>): Program => {
  const program = start(env)
  running.push(program)
  return program
}
afterEach(() => Promise.all(running.splice(0).map((program) => program.stop())))
afterAll(removeFolders)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const password = "s3cret-password"

/** The address of an empty database, with a password that the server does not ask for. */
const database = async (): Promise<string> => {
  const address = await Effect.runPromise(Scope.provide(emptyDatabase, scope))
  return Redacted.value(address).replace("tollgate@", `tollgate:${password}@`)
}

const query = (address: string, text: string) =>
  Effect.runPromise(
    SqlClient.use((sql) => sql.unsafe(text)).pipe(
      Effect.provide(PostgresClient.layer({ address: Redacted.make(address) }))
    )
  )

describe("TOLLGATE_STORE", () => {
  it("that is no address of PostgreSQL, or where nothing answers, is refused in one line", async () => {
    for (const [address, says] of [
      [`postgres://me:${password}@127.0.0.1:1/x`, "cannot use PostgreSQL at 127.0.0.1:1/x: connect ECONNREFUSED"],
      [`mysql://me:${password}@db/x`, "expected postgres://user:password@host:port/database"],
      [`postgres://me:${password}@db/x?sslmode=maybe`, "sslmode must be one of disable, require"]
    ] as const) {
      const { code, stderr, stdout } = await tollgate({ TOLLGATE_DATA: folder(), TOLLGATE_STORE: address }, "start")
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toMatch(/^TOLLGATE_STORE: [^\n]+\n$/)
      expect(stderr).toContain(says)
      expect(stderr).not.toContain(password)
    }
  })
})

/** The connections that hold the store for a gateway. */
const holders =
  "SELECT a.pid FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND l.locktype = 'advisory' AND l.granted" +
  " WHERE a.application_name LIKE 'tollgate gateway%' AND a.datname = current_database()"

describe.runIf(hasPostgres)("a gateway on PostgreSQL", () => {
  it("answers and charges, refuses a second one, and goes on after a kill with the same key and books", async () => {
    const env = { TOLLGATE_DATA: folder(), TOLLGATE_STORE: await database() }
    const killed = run(env)
    const banner = await killed.started
    const key = keyIn(banner)
    expect((await rerank(addressIn(banner), key)).status).toBe(200)
    killed.child.kill("SIGKILL")
    await killed.ended

    const gateway = run(env)
    const address = addressIn(await gateway.started)
    // The connection that holds the store is lost, and made again.
    await query(env.TOLLGATE_STORE, `SELECT pg_terminate_backend(pid, 5000) FROM (${holders}) AS h`)
    while ((await query(env.TOLLGATE_STORE, holders)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20))
    const second = await tollgate({ ...env, TOLLGATE_DATA: folder() }, "start")
    expect([second.code, second.stdout]).toEqual([1, ""])
    expect(second.stderr).toMatch(
      new RegExp(
        `^TOLLGATE_STORE: another gateway \\(tollgate gateway, process ${gateway.child.pid} on \\S+\\) is using the ` +
          "database; stop it first\\n$"
      )
    )
    expect((await rerank(address, key)).status).toBe(200)
    const audit = await tollgate(env, "audit")
    expect([audit.code, audit.stderr]).toEqual([0, ""])
    expect((await tollgate(env, "export")).stdout.trim().split("\n")).toHaveLength(3)
    const { code, stderr, stdout } = await gateway.stop()
    expect([code, stderr]).toEqual([0, ""])
    expect(banner + stdout + bytesIn(env.TOLLGATE_DATA)).not.toContain(password)
  })
})
