import { expect, it } from "@effect/vitest"
import { migrate } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import { type Fate, type Life, life, tokens, Upstream } from "@tollgate/testing/ledger/simulation"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpBody from "effect/http/HttpBody"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"

// A part runs with the tests. The whole: SIMULATION_SEEDS=10000 vitest run simulation
const seeds = Number(process.env.SIMULATION_SEEDS ?? 300)

const each = (tokens * 50) / 1000
const credit = 1_000

const fate: fc.Arbitrary<Fate> = fc.record({
  kind: fc.constantFrom("answer", "answer", "answer", "fail", "limit", "unreached", "reset", "vanish"),
  works: fc.boolean(),
  millis: fc.integer({ min: 0, max: 3_000 })
})

type Step =
  | { readonly do: "call"; readonly key: number | undefined; readonly leaveAfter: number | undefined }
  | { readonly do: "wait"; readonly millis: number }
  | { readonly do: "crash" }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("call" as const),
      key: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
      leaveAfter: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: undefined, freq: 4 })
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), millis: fc.integer({ min: 0, max: 12_000 }) })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) }
)

interface Shown {
  readonly id: string
  readonly charged: number
  readonly key: number | undefined
}

const body = HttpBody.text(JSON.stringify({ query: "q", documents: ["x".repeat(tokens - 1)] }), "application/json")

const call = (current: Life, key: number | undefined, shown: Array<Shown>) =>
  current.http
    .post("http://gateway.invalid/v1/rerank", {
      body,
      headers: { authorization: "Bearer any", ...(key === undefined ? {} : { "idempotency-key": `key ${key}` }) }
    })
    .pipe(
      Effect.map((answer) => {
        if (answer.status === 200) {
          const charged = Number(answer.headers["x-tollgate-cost-micros-usd"])
          shown.push({ id: answer.headers["x-request-id"] ?? "", charged, key })
        }
      })
    )

/** Advances simulated time, then lets the event loop run what that set off. */
const pass = Effect.fnUntraced(function* (time: Duration.Input) {
  yield* TestClock.adjust(time)
  for (let i = 0; i < 10; i++) yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
})

const simulate = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, fates: ReadonlyArray<Fate>) {
  const sql = yield* SqlClient
  yield* migrate
  yield* sql`INSERT INTO accounts (id, label, created_at, balance) VALUES ('a', 'a', 0, ${credit})`
  yield* sql`INSERT INTO entries (id, account, kind, amount, note, at) VALUES ('e', 'a', 'credit', ${credit}, '', 0)`
  yield* sql`INSERT INTO keys (id, account, hash, label, created_at) VALUES ('k', 'a', 'h', '', 0)`
  let next = 0
  const upstream = new Upstream(() => fates[next++ % fates.length]!)
  const shown: Array<Shown> = []
  const begin = life(upstream, "a", "k")
  let current = yield* begin
  for (const step of steps) {
    if (step.do === "wait") yield* pass(step.millis)
    else if (step.do === "crash") {
      yield* current.crash
      current = yield* begin
    } else {
      const fiber = yield* Effect.forkDetach(call(current, step.key, shown))
      if (step.leaveAfter !== undefined) {
        yield* Effect.forkDetach(Effect.andThen(Effect.sleep(step.leaveAfter), Fiber.interrupt(fiber)))
      }
      yield* pass(1)
    }
  }
  // Long enough for every deadline to pass and for the sweeper to write off what stays unknown.
  yield* pass("30 seconds")
  for (let i = 0; i < 8; i++) yield* pass("20 minutes")

  const calls = yield* sql<{ readonly id: string; readonly state: string; readonly charged: number }>`
    SELECT id, state, charged FROM calls`
  const byId = new Map(calls.map((row) => [row.id, row]))
  const [account] = yield* sql<{ readonly balance: number; readonly reserved: number }>`
    SELECT balance, reserved FROM accounts`
  const [own] = yield* sql<{ readonly spent: number; readonly reserved: number }>`SELECT spent, reserved FROM keys`
  const [sums] = yield* sql<{ readonly n: number; readonly requests: number }>`
    SELECT COALESCE(SUM(charged), 0) AS n, COALESCE(SUM(requests), 0) AS requests FROM usage_sums WHERE span = 86400000`
  const charged = calls.reduce((sum, row) => sum + row.charged, 0)

  // Every call has ended, and balances and totals match the calls.
  expect(calls.filter(({ state }) => !["settled", "released", "written_off"].includes(state))).toEqual([])
  expect({ ...account, ...own, n: sums?.n, requests: sums?.requests }).toEqual({
    balance: credit - charged,
    reserved: 0,
    spent: charged,
    n: charged,
    requests: calls.length
  })
  expect(account!.balance).toBeGreaterThanOrEqual(0)
  // The upstream never worked twice for one request. All work is charged or written off, and nothing else is charged.
  expect(new Set(upstream.worked).size).toBe(upstream.worked.length)
  const worked = new Set(upstream.worked)
  for (const id of worked) expect(["settled", "written_off"]).toContain(byId.get(id)?.state)
  for (const { charged, id, state } of calls) {
    if (state === "settled") expect([worked.has(id), charged]).toEqual([true, each])
    else expect(charged).toBe(0)
  }
  // Each charge shown to a caller is in the ledger, and each idempotency key was charged once.
  for (const { charged, id } of shown) expect(byId.get(id)).toEqual({ id, state: "settled", charged })
  const keys = shown.flatMap(({ key }) => (key === undefined ? [] : [key]))
  expect(new Set(keys).size).toBe(keys.length)
})

it.effect(
  `the ledger balances after any calls, faults, disconnects, timeouts and crashes, with ${seeds} seeds`,
  () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 14 }),
          fc.array(fate, { minLength: 1, maxLength: 10 }),
          (steps, fates) =>
            Effect.runPromise(
              simulate(steps, fates).pipe(
                Effect.provide(NodeSqliteClient.layer({ filename: ":memory:" })),
                Effect.provide(TestClock.layer()),
                Effect.scoped
              )
            )
        ),
        { numRuns: seeds, seed: Number(process.env.SIMULATION_SEED ?? 1), verbose: 0 }
      )
    ),
  seeds * 100 + 30_000
)
