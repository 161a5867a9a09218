import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { expect, it } from "@effect/vitest"
import { Audit, migrate } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import { type Fate, type Life, life, reservedTokens, Upstream } from "@tollgate/testing/ledger/simulation"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpBody from "effect/http/HttpBody"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"

// The full run: SIMULATION_SEEDS=10000 pnpm test simulation
const seeds = countOf("SIMULATION_SEEDS", 30, 120)

/** In micro-USD: the price of tokens, what the account has, and the cap of a call that has one. */
const priceOf = (tokens: number): number => (tokens * 50) / 1000
const credit = 300
const cap = 60

const fate: fc.Arbitrary<Fate> = fc.record({
  kind: fc.constantFrom("answer", "answer", "answer", "fail", "limit", "unreached", "reset", "vanish"),
  works: fc.boolean(),
  tokens: fc.constantFrom(reservedTokens, reservedTokens, 400, 1_200, 1_400, 9_000),
  millis: fc.integer({ min: 0, max: 3_000 })
})

type Step =
  | {
      readonly do: "call"
      readonly key: number | undefined
      readonly replays: boolean
      readonly isCapped: boolean
      readonly leaveAfter: number | undefined
    }
  | { readonly do: "wait"; readonly millis: number }
  | { readonly do: "crash" }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("call" as const),
      key: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
      replays: fc.boolean(),
      isCapped: fc.boolean(),
      leaveAfter: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: undefined, freq: 4 })
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), millis: fc.integer({ min: 0, max: 12_000 }) })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) }
)

/** What the scenarios have led to. */
const reached = new Set<string>()

interface Row {
  readonly id: string
  readonly state: string
  readonly reserved: number
  readonly cap: number | null
  readonly charged: number
  readonly loss: number
  readonly created_at: number
  readonly ended_at: number
}

interface Shown {
  readonly id: string
  readonly charged: number
  readonly key: number | undefined
  readonly isCapped: boolean
}

const body = HttpBody.text(
  JSON.stringify({ query: "q", documents: ["x".repeat(reservedTokens - 1)] }),
  "application/json"
)

const call = (
  current: Life,
  { isCapped, key, replays }: Extract<Step, { readonly do: "call" }>,
  shown: Array<Shown>,
  replayed: Array<string>
) =>
  current.http
    .post("http://gateway.invalid/v1/rerank", {
      body,
      headers: {
        authorization: "Bearer any",
        ...(key === undefined ? {} : { "idempotency-key": `key ${key}` }),
        ...(replays ? { "x-tollgate-idempotency-mode": "replay" } : {}),
        ...(isCapped ? { "x-tollgate-max-price-usd": `0.0000${cap}` } : {})
      }
    })
    .pipe(
      Effect.map((answer) => {
        const id = answer.headers["x-request-id"] ?? ""
        if (answer.status !== 200) return
        if (answer.headers["idempotent-replayed"] === "true") replayed.push(id)
        else shown.push({ id, charged: Number(answer.headers["x-tollgate-cost-micros-usd"]), key, isCapped })
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
  const replayed: Array<string> = []
  const begin = life(upstream, "a", "k")
  let current = yield* begin
  for (const step of steps) {
    if (step.do === "wait") yield* pass(step.millis)
    else if (step.do === "crash") {
      yield* current.crash
      current = yield* begin
    } else {
      const fiber = yield* Effect.forkDetach(call(current, step, shown, replayed))
      if (step.leaveAfter !== undefined) {
        yield* Effect.forkDetach(Effect.andThen(Effect.sleep(step.leaveAfter), Fiber.interrupt(fiber)))
      }
      yield* pass(1)
    }
  }
  // Long enough for every deadline to pass and for the sweeper to end what a crash left.
  yield* pass("30 seconds")
  for (let i = 0; i < 8; i++) yield* pass("20 minutes")

  const calls = yield* sql<Row>`SELECT id, state, reserved, cap, charged, loss, created_at, ended_at FROM calls`
  const byId = new Map(calls.map((row) => [row.id, row]))
  const [account] = yield* sql<{ readonly balance: number; readonly reserved: number }>`
    SELECT balance, reserved FROM accounts`
  const [own] = yield* sql<{ readonly spent: number; readonly reserved: number }>`SELECT spent, reserved FROM keys`
  const [sums] = yield* sql<{ readonly n: number; readonly requests: number; readonly failed: number }>`
    SELECT COALESCE(SUM(charged), 0) AS n, COALESCE(SUM(requests), 0) AS requests,
      COALESCE(SUM(failed_requests), 0) AS failed FROM usage_sums WHERE span = 86400000`
  const sum = (some: ReadonlyArray<Row>) => some.reduce((all, { charged }) => all + charged, 0)
  const charged = sum(calls)

  // Every call has ended, and balances and totals match the calls.
  const finals = ["settled", "released", "unknown", "replayed"]
  expect(calls.filter(({ state }) => !finals.includes(state))).toEqual([])
  expect({ ...account, ...own, ...sums }).toEqual({
    balance: credit - charged,
    reserved: 0,
    spent: charged,
    n: charged,
    requests: calls.length,
    failed: calls.filter(({ state }) => state === "released" || state === "unknown").length
  })
  const { differences, overdrafts, totals } = yield* Audit.run
  expect(differences).toEqual([])
  expect(totals.loss).toBe(BigInt(calls.reduce((all, { loss }) => all + loss, 0)))
  expect(overdrafts).toEqual(charged > credit ? [{ of: "balance", id: "a", amount: BigInt(charged - credit) }] : [])
  // The balance was positive when a call was reserved.
  for (const { created_at, state } of calls) {
    if (state !== "replayed") expect(sum(calls.filter(({ ended_at }) => ended_at < created_at))).toBeLessThan(credit)
  }
  // The upstream executed no request twice. Every execution is charged or unknown, and nothing else is charged.
  const worked = new Map(upstream.worked)
  expect(worked.size).toBe(upstream.worked.length)
  for (const id of worked.keys()) expect(["settled", "unknown"]).toContain(byId.get(id)?.state)
  for (const { cap, charged, id, loss, state } of calls) {
    // What was used is what is charged, except under a cap.
    const price = state === "settled" ? priceOf(worked.get(id) ?? Number.NaN) : 0
    const paid = Math.min(price, cap ?? Infinity)
    expect({ id, charged, loss }).toEqual({ id, charged: paid, loss: price - paid })
  }
  // Each charge shown to a caller is in the ledger, and each idempotency key was charged once.
  for (const { charged, id, isCapped } of shown) {
    expect(byId.get(id)).toMatchObject({ state: "settled", charged, cap: isCapped ? cap : null })
  }
  for (const id of replayed) expect(byId.get(id)).toMatchObject({ state: "replayed", reserved: 0, charged: 0 })
  if (overdrafts.length > 0) reached.add("overdraft")
  if (totals.loss > 0n) reached.add("loss")
  if (replayed.length > 0) reached.add("replay")
  const keys = shown.flatMap(({ key }) => (key === undefined ? [] : [key]))
  expect(new Set(keys).size).toBe(keys.length)
})

it.effect(
  `the ledger balances after any calls, faults, disconnects, timeouts and crashes, with ${seeds} seeds`,
  () =>
    Effect.promise(() =>
      fc
        .assert(
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
        .then(() => expect([...reached].toSorted()).toEqual(["loss", "overdraft", "replay"]))
    ),
  seeds * 1_000 + 300_000
)
