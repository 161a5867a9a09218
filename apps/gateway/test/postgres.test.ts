import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { askHeld, heldUpstream } from "./heldUpstream.ts"
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

/** Reads until `isReached`. The test's own time limit bounds it. */
const until = async <A>(read: () => Promise<A>, isReached: (found: A) => boolean): Promise<A> => {
  for (;;) {
    const found = await read()
    if (isReached(found)) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe.runIf(hasPostgres)("gateways on PostgreSQL", () => {
  it("share keys and books; what a killed one left open is unknown to the other, and a new one goes on", async () => {
    const upstream = await heldUpstream()
    const data = folder()
    const config = join(folder(), "tollgate.jsonc")
    writeFileSync(config, JSON.stringify(upstream.config()))
    const env = {
      TOLLGATE_DATA: data,
      TOLLGATE_STORE: await database(),
      TOLLGATE_CONFIG: config,
      TOLLGATE_DEAD_SECONDS: "2"
    }
    const first = run(env)
    const banner = await first.started
    const key = keyIn(banner)
    const second = run(env)
    const address = addressIn(await second.started)
    const calls = [addressIn(banner), address].map((address) => askHeld(address, key))
    await upstream.arrived(2)
    const states = () => query(env.TOLLGATE_STORE, "SELECT state FROM calls ORDER BY state")
    expect(await states()).toEqual([{ state: "open" }, { state: "open" }])
    first.child.kill("SIGKILL")
    await Promise.all([first.ended, calls[0]?.catch(() => {})])
    await until(states, (found) => found.some((call) => "state" in call && call.state === "unknown"))
    expect(await states()).toEqual([{ state: "open" }, { state: "unknown" }])
    upstream.answer()
    expect((await calls[1])?.status).toBe(200)

    const third = run(env)
    expect((await rerank(addressIn(await third.started), key)).status).toBe(200)
    expect((await rerank(address, key)).status).toBe(200)
    const audit = await tollgate(env, "audit")
    expect([audit.code, audit.stderr]).toEqual([0, ""])
    for (const { stop } of [second, third]) {
      const { code, stderr, stdout } = await stop()
      expect([code, stderr]).toEqual([0, ""])
      expect(banner + stdout).not.toContain(password)
    }
    expect(bytesIn(data)).not.toContain(password)
    expect(await query(env.TOLLGATE_STORE, "SELECT * FROM gateways")).toEqual([])
    upstream.close()
  })
})
