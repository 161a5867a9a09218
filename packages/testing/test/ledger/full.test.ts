import { afterAll, describe, expect, it } from "@effect/vitest"
import { Audit } from "@tollgate/gateway"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask, type Answer } from "@tollgate/testing/ask"

const folder = mkdtempSync(join(tmpdir(), "tollgate-full-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const layer = () =>
  Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ filename: join(folder, `${files++}.db`) })))

const tick = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Its answer is stored and needs new pages, which a full store does not have. */
const large = JSON.stringify({ query: "river", documents: ["river mountain sea shore ".repeat(1_000)] })

const rerank = (name: string, scenario = "none") =>
  ask(
    "POST",
    "/v1/rerank",
    { authorization: `Bearer ${key}`, "idempotency-key": name, "x-tollgate-scenario": scenario },
    large
  )

const cost = ({ headers }: Answer): number => Number(headers["x-tollgate-cost-micros-usd"])

const codeOf = (answer: Answer): unknown => (answer.json() as { readonly error: { readonly code: string } }).error.code

/** From now on the store cannot grow. */
const noMorePages = Effect.gen(function* () {
  const { sql } = yield* TestGateway
  const [row] = yield* sql<{ readonly page_count: number }>`PRAGMA page_count`
  yield* sql.unsafe(`PRAGMA max_page_count = ${row!.page_count}`)
})

const morePages = Effect.flatMap(TestGateway, ({ sql }) => sql`PRAGMA max_page_count = 1000000`)

/** Fills the free space in the pages of a table with rows smaller than its own. */
const fill = Effect.gen(function* () {
  const { sql } = yield* TestGateway
  let full = false
  for (let i = 0; !full && i < 1_000; i++) {
    const insert = sql`INSERT INTO idempotency (id, payload, call, ends_at) VALUES (${`f${i}`}, '', '', 1)`
    full = yield* Effect.match(insert, { onFailure: ({ message }) => /full/.test(message), onSuccess: () => false })
  }
  expect(full).toBe(true)
})

const calls = Effect.fnUntraced(function* (state: string) {
  const { sql } = yield* TestGateway
  const [row] = yield* sql<{ readonly n: number }>`SELECT COUNT(*) AS n FROM calls WHERE state = ${state}`
  return row!.n
})

const clean = Effect.gen(function* () {
  const { sql } = yield* TestGateway
  const audit = yield* Effect.provideService(Audit.run, SqlClient, sql)
  expect(audit).toMatchObject({ differences: [], open: [], unknown: [] })
  return audit.totals
})

describe("a full disk", () => {
  it.effect("before the calls: 503 with Retry-After for each, and no upstream is called", () =>
    Effect.gen(function* () {
      const { billingLog, sql } = yield* TestGateway
      const before = cost(yield* rerank("before"))
      yield* noMorePages
      yield* fill
      const refused = yield* Effect.forEach(["a", "b", "c"], (name) => rerank(name), { concurrency: "unbounded" })
      for (const answer of refused) {
        expect([answer.status, codeOf(answer), answer.headers["retry-after"]]).toEqual([
          503,
          "billing_unavailable",
          "1"
        ])
      }
      expect(yield* billingLog.count).toBe(1)
      yield* morePages
      yield* sql`DELETE FROM idempotency WHERE ends_at = 1`
      const after = yield* rerank("a")
      expect([after.status, yield* billingLog.count, yield* calls("settled")]).toEqual([200, 2, 2])
      expect((yield* clean).charged).toBe(BigInt(before + cost(after)))
    }).pipe(Effect.provide(layer()))
  )

  it.effect("between reservation and settlement: the charges are recorded once when there is space again", () =>
    Effect.gen(function* () {
      const { account, accounts, billingLog } = yield* TestGateway
      const names = ["a", "b", "c"]
      yield* rerank("before")
      const answers: Array<Answer> = []
      const asking = yield* Effect.forkChild(
        Effect.forEach(names, (name) => Effect.map(rerank(name, "slow; ms=1000"), (answer) => answers.push(answer)), {
          concurrency: "unbounded"
        })
      )
      while ((yield* calls("open")) < 3) yield* tick
      yield* noMorePages
      const passed = Effect.andThen(TestClock.adjust("1 second"), tick)
      while ((yield* billingLog.count) < 4) yield* passed
      for (let i = 0; i < 5; i++) yield* passed
      expect([answers.length, yield* calls("open"), yield* calls("settled")]).toEqual([0, 3, 1])
      expect((yield* accounts.get(account)).reserved).toBeGreaterThan(0n)
      yield* morePages
      while (asking.pollUnsafe() === undefined) yield* passed
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect([yield* billingLog.count, yield* calls("settled")]).toEqual([4, 4])
      const first = yield* rerank("before")
      expect(codeOf(first)).toBe("idempotency_completed")
      expect((yield* clean).charged).toBe(BigInt(4 * cost(answers[0]!)))
    }).pipe(Effect.provide(layer()))
  )

  it.effect("for longer than a caller waits: it gets settlement_pending, and is charged once afterwards", () =>
    Effect.gen(function* () {
      const { billingLog } = yield* TestGateway
      yield* rerank("before")
      const asking = yield* Effect.forkChild(rerank("a", "slow; ms=1000"))
      while ((yield* calls("open")) < 1) yield* tick
      yield* noMorePages
      const passed = Effect.andThen(TestClock.adjust("1 second"), tick)
      while (asking.pollUnsafe() === undefined) yield* passed
      const pending = yield* Fiber.join(asking)
      expect([pending.status, codeOf(pending), pending.headers["retry-after"]]).toEqual([
        503,
        "settlement_pending",
        "5"
      ])
      expect(codeOf(yield* rerank("a"))).toBe("idempotency_in_flight")
      yield* morePages
      for (let i = 0; i < 5; i++) yield* passed
      expect([yield* calls("settled"), yield* billingLog.count]).toEqual([2, 2])
      const again = yield* ask(
        "POST",
        "/v1/rerank",
        { authorization: `Bearer ${key}`, "idempotency-key": "a", "x-tollgate-idempotency-mode": "replay" },
        large
      )
      expect([again.status, again.headers["idempotent-replayed"], yield* billingLog.count]).toEqual([200, "true", 2])
      yield* clean
    }).pipe(Effect.provide(layer()))
  )
})
