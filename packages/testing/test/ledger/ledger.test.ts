import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask, question } from "@tollgate/testing/ask"

// The full run: IDEMPOTENCY_KEYS=1000 pnpm test ledger.test
const keys = countOf("IDEMPOTENCY_KEYS", 8, 200)
const racers = countOf("BALANCE_RACERS", 300, 10_000)

const bearer = { authorization: `Bearer ${key}` }
const layer = () => Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer()))
const live = (what: string, test: Effect.Effect<unknown, unknown, Host | TestGateway>, timeout?: number) =>
  it.live(what, () => test.pipe(Effect.provide(layer())), timeout)

/** Large enough that every call costs something: 200 words per document. */
const costly = JSON.stringify({ query: "river mountain sea", documents: ["river mountain sea shore ".repeat(50)] })

const rerank = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  ask("POST", "/v1/rerank", { ...bearer, ...headers }, body)

const cost = (answer: { readonly headers: Readonly<Record<string, string | undefined>> }): number =>
  Number(answer.headers["x-tollgate-cost-micros-usd"] ?? 0)

const replayedCost = "x-tollgate-replayed-cost-micros-usd"

const code = (answer: { readonly json: () => unknown }): unknown =>
  (answer.json() as { readonly error?: { readonly code?: unknown } }).error?.code

const one = Effect.fnUntraced(function* (sql: SqlClient, column: string, table: string, where = "1 = 1") {
  const [row] = yield* sql.unsafe<{ readonly n: number }>(`SELECT ${column} AS n FROM ${table} WHERE ${where}`)
  return row?.n ?? 0
})

/** The charges in the answers, the ledger and the upstream's billing log must agree to the micro-USD. */
const balanced = Effect.fnUntraced(function* (shown: number) {
  const { account, accounts, billingLog, sql } = yield* TestGateway
  const upstream = (yield* billingLog.entries).reduce(
    (sum, { billed }) => sum + Math.round((billed.tokens! * 50) / 1000),
    0
  )
  const charged = yield* one(sql, "COALESCE(SUM(charged), 0)", "calls")
  const credited = yield* one(sql, "COALESCE(SUM(amount), 0)", "entries")
  const { balance, reserved } = yield* accounts.get(account)
  expect({ charged, balance: Number(balance), reserved: Number(reserved) }).toEqual({
    charged: shown,
    balance: credited - shown,
    reserved: 0
  })
  expect(upstream).toBe(shown)
  expect(yield* one(sql, "COUNT(*)", "calls", "state IN ('open', 'unknown')")).toBe(0)
  for (const span of [60_000, 3_600_000, 86_400_000]) {
    expect(yield* one(sql, "COALESCE(SUM(charged), 0)", "usage_sums", `span = ${span}`)).toBe(shown)
  }
})

describe("the charge", () => {
  live(
    "is the same in the answer's headers, on the upstream's bill and in the balance",
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, (_, i) => rerank(i % 5 === 0 ? question : costly)),
        { concurrency: 20 }
      )
      expect(
        answers.every(({ headers, status }) => status === 200 && headers["x-tollgate-cost-state"] === "settled")
      ).toBe(true)
      const shown = answers.reduce((sum, answer) => sum + cost(answer), 0)
      expect(shown).toBeGreaterThan(0)
      yield* balanced(shown)
    })
  )

  live(
    "is zero if the upstream failed or refused the call",
    Effect.gen(function* () {
      for (const scenario of ["status; code=500", "status; code=400", "status; code=429", "status; code=401"]) {
        const answer = yield* rerank(costly, { "x-tollgate-scenario": scenario })
        expect([cost(answer), answer.headers["x-tollgate-cost-micros-usd"]]).toEqual([0, undefined])
      }
      yield* balanced(0)
      const { sql } = yield* TestGateway
      expect(yield* one(sql, "COUNT(*)", "calls", "state = 'released'")).toBe(4)
      expect(yield* one(sql, "SUM(failed_requests)", "usage_sums", "span = 60000")).toBe(4)
    })
  )

  live(
    "is the estimate, and marked as such, if the answer does not report its usage",
    Effect.gen(function* () {
      const answer = yield* rerank(costly, { "x-tollgate-scenario": "no-usage" })
      expect([answer.status, answer.headers["x-tollgate-cost-state"]]).toEqual([200, "estimated"])
      expect(cost(answer)).toBe(Math.round((Math.ceil((18 + 1250) / 4) * 50) / 1000))
    })
  )

  live(
    "is zero, and its money is free at once, if the upstream broke off and may have done the work",
    Effect.gen(function* () {
      const answer = yield* rerank(costly, { "x-tollgate-scenario": "reset", "idempotency-key": "k" })
      expect([answer.status, code(answer)]).toEqual([502, "upstream_failed"])
      const { account, accounts, billingLog, sql } = yield* TestGateway
      expect(yield* billingLog.count).toBe(1)
      expect(yield* one(sql, "COUNT(*)", "calls", "state = 'unknown'")).toBe(1)
      expect((yield* accounts.get(account)).reserved).toBe(micro(0n))
      const again = yield* rerank(costly, { "idempotency-key": "k" })
      expect([again.status, code(again)]).toEqual([409, "idempotency_unknown"])
      expect(yield* billingLog.count).toBe(1)
    })
  )
})

describe("idempotency", () => {
  live(
    "the same key and request: one upstream call, one charge, and the stored answer on request",
    Effect.gen(function* () {
      const first = yield* rerank(costly, { "idempotency-key": `"a key"` })
      const repeated = yield* rerank(costly, { "idempotency-key": "a key" })
      expect([repeated.status, code(repeated)]).toEqual([409, "idempotency_completed"])
      expect(repeated.text).toContain(first.headers["x-request-id"])
      const replayed = yield* rerank(costly, { "idempotency-key": "a key", "x-tollgate-idempotency-mode": "replay" })
      expect([replayed.status, replayed.text, replayed.headers["idempotent-replayed"]]).toEqual([
        200,
        first.text,
        "true"
      ])
      expect([replayed.headers["x-tollgate-cost-state"], cost(replayed)]).toEqual(["none", 0])
      expect(cost(first)).toBeGreaterThan(0)
      expect(replayed.headers[replayedCost]).toBe(String(cost(first)))
      expect([first.headers[replayedCost], repeated.headers[replayedCost]]).toEqual([undefined, undefined])
      yield* balanced(cost(first))
    })
  )

  live(
    "the same key with another request is refused",
    Effect.gen(function* () {
      yield* rerank(costly, { "idempotency-key": "k" })
      const other = yield* rerank(question, { "idempotency-key": "k" })
      expect([other.status, code(other)]).toEqual([422, "idempotency_mismatch"])
      expect((yield* rerank(costly, { "idempotency-key": "k2" })).status).toBe(200)
    })
  )

  live(
    "an answer too large to store is not replayed, and not charged again",
    Effect.gen(function* () {
      const { billingLog } = yield* TestGateway
      const large = JSON.stringify({ query: "river", documents: ["river ".repeat(50_000)] })
      expect((yield* rerank(large, { "idempotency-key": "k" })).bytes.length).toBeGreaterThan(256 * 1024)
      const again = yield* rerank(large, { "idempotency-key": "k", "x-tollgate-idempotency-mode": "replay" })
      expect([again.status, code(again), yield* billingLog.count]).toEqual([409, "idempotency_completed", 1])
    })
  )

  live(
    "keys of different accounts are independent",
    Effect.gen(function* () {
      const { accounts, billingLog } = yield* TestGateway
      const other = yield* accounts.createKey((yield* accounts.create("other")).id, {})
      const theirs = { authorization: `Bearer ${Redacted.value(other.value)}` }
      for (const who of [bearer, theirs]) {
        expect((yield* rerank(costly, { ...who, "idempotency-key": "k" })).status).toBe(200)
      }
      const mismatched = yield* rerank(question, { ...theirs, "idempotency-key": "k" })
      expect([mismatched.status, yield* billingLog.count]).toEqual([422, 2])
    })
  )

  it.live("the store holds neither idempotency keys nor credentials in plain text", () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-canary-"))
    const filename = join(folder, "tollgate.db")
    return Effect.gen(function* () {
      const answer = yield* rerank(costly, { "idempotency-key": "canary-3f9a1c77", "x-extra": "canary-3f9a1c77" })
      expect(answer.status).toBe(200)
      const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString("latin1"))
      expect(bytes.join("")).toContain("rerank")
      expect(bytes.join("")).not.toContain("canary-3f9a1c77")
      expect(bytes.join("")).not.toContain(key)
    }).pipe(
      Effect.provide(Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ filename })))),
      Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true })))
    )
  })

  live(
    "a call that failed may be repeated under its key",
    Effect.gen(function* () {
      const failed = yield* rerank(costly, { "idempotency-key": "k", "x-tollgate-scenario": "status; code=500" })
      expect(failed.status).toBe(500)
      const second = yield* rerank(costly, { "idempotency-key": "k" })
      expect(second.status).toBe(200)
      yield* balanced(cost(second))
    })
  )

  live(
    "an invalid key is refused before anything is reserved",
    Effect.gen(function* () {
      for (const odd of ["", " ", `""`, "x".repeat(256), `a"b`, "é"]) {
        const answer = yield* rerank(costly, { "idempotency-key": odd })
        expect([odd, answer.status]).toEqual([odd, 400])
      }
      yield* balanced(0)
    })
  )

  live(
    `${keys} idempotency keys, each sent 100 times at once: ${keys} calls, ${keys} charges`,
    Effect.gen(function* () {
      const { billingLog, sql } = yield* TestGateway
      const body = JSON.stringify({ query: "river", documents: ["river ".repeat(40)] })
      let ok = 0
      let shown = 0
      yield* Effect.forEach(
        Array.from({ length: keys }, (_, i) => `key ${i}`),
        (name) =>
          Effect.gen(function* () {
            const answers = yield* Effect.all(
              Array.from({ length: 100 }, () => rerank(body, { "idempotency-key": name })),
              { concurrency: "unbounded" }
            )
            for (const answer of answers) {
              if (answer.status === 200) {
                ok++
                shown += cost(answer)
              } else expect(["idempotency_in_flight", "idempotency_completed"]).toContain(code(answer))
            }
          }),
        { concurrency: 4 }
      )
      expect([ok, yield* billingLog.count]).toEqual([keys, keys])
      expect(yield* one(sql, "COUNT(*)", "calls", "state = 'settled'")).toBe(keys)
      yield* balanced(shown)
    })
  )
})

describe("the available balance", () => {
  live(
    `is never overdrawn: of ${racers} racing requests on a balance for one, one is admitted`,
    Effect.gen(function* () {
      const { account, accounts, billingLog } = yield* TestGateway
      const { balance } = yield* accounts.get(account)
      // The most that one call can cost: 1,268 bytes at 50 nano-USD.
      yield* accounts.adjust(account, 63n - balance, "all but one call")
      const answers = yield* Effect.all(
        Array.from({ length: racers }, () => rerank(costly, { "x-tollgate-scenario": "slow; ms=200" })),
        { concurrency: "unbounded" }
      )
      const admitted = answers.filter(({ status }) => status === 200)
      expect(admitted).toHaveLength(1)
      // The others come while its money is reserved, or after it is spent.
      const refusals = new Set(answers.flatMap((answer) => (answer.status === 200 ? [] : [code(answer)])))
      expect(["balance_reserved", "insufficient_balance"]).toEqual(expect.arrayContaining([...refusals]))
      expect(yield* billingLog.count).toBe(1)
      const after = yield* accounts.get(account)
      expect(after.balance >= 0n && after.reserved === 0n).toBe(true)
    })
  )

  live(
    "is named in a refusal, with the amount that was wanted",
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const [own] = yield* accounts.listKeys(account)
      yield* accounts.changeKey(own!.id, { budget: micro(62n) })
      const over = yield* rerank(costly)
      expect([over.status, code(over)]).toEqual([402, "over_budget"])
      expect(over.text).toMatch(/0\.000063 USD.*0\.000062 USD/)
      yield* accounts.changeKey(own!.id, { budget: null, dayBudget: micro(62n) })
      const quota = yield* rerank(costly)
      expect([quota.status, code(quota)]).toEqual([429, "quota_exceeded"])
      expect(Number(quota.headers["retry-after"])).toBeGreaterThan(0)
      yield* accounts.changeKey(own!.id, { dayBudget: null })
      expect((yield* rerank(costly)).status).toBe(200)
    })
  )
})

describe("a store that cannot be written", () => {
  live(
    "before the call: 503 with Retry-After, and no upstream is called",
    Effect.gen(function* () {
      const { billingLog, sql } = yield* TestGateway
      yield* rerank(question)
      yield* sql`ALTER TABLE journal RENAME TO gone`
      const answer = yield* rerank(costly)
      expect([answer.status, code(answer), answer.headers["retry-after"]]).toEqual([503, "billing_unavailable", "1"])
      expect(yield* billingLog.count).toBe(1)
      yield* doesNotTouchLedger(sql`ALTER TABLE gone RENAME TO journal`)
      expect((yield* rerank(costly)).status).toBe(200)
    })
  )

  live(
    "after the call: the charge is recorded once when the store is back",
    Effect.gen(function* () {
      const { sql } = yield* TestGateway
      const answering = yield* Effect.forkChild(rerank(costly, { "x-tollgate-scenario": "slow; ms=1000" }))
      while ((yield* sql`SELECT id FROM calls`).length === 0) yield* Effect.sleep("5 millis")
      yield* sql`ALTER TABLE journal RENAME TO gone`
      yield* Effect.sleep("1300 millis")
      yield* doesNotTouchLedger(sql`ALTER TABLE gone RENAME TO journal`)
      const answer = yield* Fiber.join(answering)
      expect(answer.status).toBe(200)
      yield* balanced(cost(answer))
    })
  )
})
