import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { askHeld, pausedUpstream } from "./pausedUpstream.ts"
import { addressIn, bytesIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { programs } from "./programs.ts"
import { startGateway, tollgate } from "./tollgate.ts"

const scope = Scope.makeUnsafe()
const run = programs()
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

describe.runIf(hasPostgres)("a start on a store that lacks something", () => {
  it("ends in one line that names the table, the column or the function, and does not print the address", async () => {
    const env = { TOLLGATE_DATA: folder(), TOLLGATE_STORE: await database() }
    await (await startGateway(env)).stop()
    for (const [change, says, undo] of [
      [
        "ALTER TABLE calls RENAME error TO x",
        "the table calls of the store has no column error",
        "ALTER TABLE calls RENAME x TO error"
      ],
      ["ALTER TABLE limit_keys RENAME TO x", "the store has no table limit_keys", "ALTER TABLE x RENAME TO limit_keys"],
      ["DROP FUNCTION fold_usage", "the function fold_usage of the store is not that of this version", ""]
    ] as const) {
      await query(env.TOLLGATE_STORE, change)
      const { code, stderr, stdout } = await tollgate(env, "start")
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toMatch(/^TOLLGATE_STORE: [^\n]+\n$/)
      expect(stderr).toContain(says)
      expect(stderr).not.toContain(password)
      if (undo !== "") await query(env.TOLLGATE_STORE, undo)
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

describe.runIf(hasPostgres)("two gateways on PostgreSQL", () => {
  it("share keys and books; calls of one that was stopped or killed become unknown, and none is charged twice", async () => {
    const upstream = await pausedUpstream()
    const data = folder()
    const config = join(folder(), "tollgate.jsonc")
    writeFileSync(config, JSON.stringify(upstream.config()))
    const env = {
      TOLLGATE_DATA: data,
      TOLLGATE_STORE: await database(),
      TOLLGATE_CONFIG: config,
      TOLLGATE_DEAD_SECONDS: "2"
    }
    const [first, second] = [run(env), run(env)]
    const banners = [await first.started, await second.started]
    const key = banners.map(keyIn).join("")
    const [address = "", other = ""] = banners.map(addressIn)
    const states = async () =>
      (await query(env.TOLLGATE_STORE, "SELECT state FROM calls ORDER BY created_at, id")).map((call) =>
        "state" in call ? call.state : ""
      )
    const ids = () => query(env.TOLLGATE_STORE, "SELECT id FROM gateways")
    const before = await ids()

    const ofStopped = askHeld(address, key)
    await upstream.arrived(1)
    first.child.kill("SIGSTOP")
    const ofOther = askHeld(other, key)
    await upstream.arrived(2)
    await until(states, ([state]) => state === "unknown")
    expect(await states()).toEqual(["unknown", "open"])
    first.child.kill("SIGCONT")
    upstream.answer()
    expect([(await ofStopped).status, (await ofOther).status]).toEqual([200, 200])
    expect(await states()).toEqual(["settled", "settled"])
    // It goes on under a new id.
    const after = await until(ids, ({ length }) => length === 2)
    expect(after).not.toEqual(expect.arrayContaining([...before]))
    expect((await rerank(address, key)).status).toBe(200)

    const cut = askHeld(address, key).catch(() => undefined)
    await upstream.arrived(1)
    first.child.kill("SIGKILL")
    await Promise.all([first.ended, cut])
    await until(states, (found) => found[3] === "unknown")
    expect(await states()).toEqual(["settled", "settled", "settled", "unknown"])
    expect((await rerank(other, key)).status).toBe(200)
    const audit = await tollgate(env, "audit")
    expect([audit.code, audit.stderr]).toEqual([0, ""])
    const { code, stderr, stdout } = await second.stop()
    expect([code, stderr]).toEqual([0, ""])
    expect([...banners, stdout, bytesIn(data)].join()).not.toContain(password)
    expect(await ids()).toEqual([])
    upstream.close()
  })
})
