import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { programs } from "./programs.ts"
import { tollgate } from "./tollgate.ts"

const scope = Scope.makeUnsafe()
const run = programs()
afterAll(removeFolders)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** Calls one after the other until it is told to stop. */
const load = (address: () => string, key: string) => {
  const statuses: Array<number> = []
  let isOver = false
  const caller = async () => {
    while (!isOver) {
      const answer = await rerank(address(), key, {}, undefined, String(statuses.length))
      await answer.text()
      statuses.push(answer.status)
    }
  }
  const callers = Promise.all(Array.from({ length: 4 }, caller))
  return {
    statuses,
    /** Resolves when so many more calls have ended. */
    more: async (count: number) => {
      const until = statuses.length + count
      while (statuses.length < until) await new Promise((resolve) => setTimeout(resolve, 20))
    },
    stop: async () => {
      isOver = true
      await callers
    }
  }
}

describe.runIf(hasPostgres)("a later version that starts beside an earlier one", () => {
  it("migrates under load without a call refused or lost; then an earlier version does not start", async () => {
    const store = Redacted.value(await Effect.runPromise(Scope.provide(emptyDatabase, scope)))
    const env = { TOLLGATE_STORE: store, TOLLGATE_DATA: folder() }
    const query = (text: string) =>
      Effect.runPromise(
        SqlClient.use((sql) => sql.unsafe(text)).pipe(
          Effect.provide(PostgresClient.layer({ address: Redacted.make(store) }))
        )
      )
    const older = run(env)
    const banner = await older.started
    await query("UPDATE accounts SET rpm = 1000000, tpm = 1000000000, concurrency = 100")
    let address = addressIn(banner)
    const { more, statuses, stop } = load(() => address, keyIn(banner))
    await more(50)
    const newer = run(env, [], join(import.meta.dirname, "newer.program.ts"))
    const next = addressIn(await newer.started)
    // The older one goes on with the tables of the later one.
    await more(50)
    const sent = statuses.length
    address = next
    await more(10)
    expect((await older.stop()).stderr).toBe("")
    await more(50)
    await stop()
    expect([...new Set(statuses)]).toEqual([200])
    expect(statuses.length).toBeGreaterThan(sent)
    expect(await query("SELECT state, COUNT(*) AS calls FROM calls GROUP BY state")).toEqual([
      { state: "settled", calls: statuses.length }
    ])
    for (const words of [["start"], ["audit"]]) {
      const refused = await tollgate(env, ...words)
      expect([refused.code, refused.stdout]).toEqual([1, ""])
      expect(refused.stderr).toMatch(/^TOLLGATE_STORE: the store has schema 9999, this version knows \d+\n$/)
    }
  })
})
