import { describe, expect, it } from "@effect/vitest"
import { allowances } from "@tollgate/contract/Tier"
import { Keys, Usage, UsageSql } from "@tollgate/gateway"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { ask } from "@tollgate/testing/ask"
import { unbilledHost } from "@tollgate/testing/unbilledHost"
import { type EndedCall, insertEnded } from "@tollgate/testing/ledger/endedCalls"

/** Large enough to cost something after rounding. */
const question = JSON.stringify({ query: "q", documents: ["word ".repeat(1_000)] })

/** A gateway whose clock starts at this time. */
const layer = (millis = 0) =>
  Host.layerInProcess.pipe(
    Layer.provideMerge(TestGateway.layer()),
    Layer.provide(Layer.effectDiscard(TestClock.setTime(millis)))
  )
const bearer = { authorization: `Bearer ${key}` }

const day = 86_400
const monday = Date.UTC(2026, 2, 30) / 1000

const report = (start: number, end?: number, headers: Readonly<Record<string, string>> = bearer) =>
  ask("GET", `/v1/usage?start_time=${start}${end === undefined ? "" : `&end_time=${end}`}`, headers)

const zero = {
  requests: 0,
  failed_requests: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  usage_value_micros_usd: 0,
  charged_micros_usd: 0
}

const call = (account: string, key: string, at: number, charged = 1n): EndedCall => ({
  account,
  key,
  at,
  state: "settled",
  tokens: [1n, 0n, 0n, 0n],
  value: charged,
  charged
})

/** The service over the store of a test gateway. */
const usageOf = Effect.flatMap(TestGateway, ({ sql }) =>
  Usage.pipe(Effect.provide(Layer.fresh(UsageSql.layer).pipe(Layer.provide(Layer.succeed(SqlClient, sql)))))
)

/** The expected report: the sum over all calls. */
const naive = (calls: ReadonlyArray<EndedCall>, start: number, end: number) => {
  const inside = calls.filter(({ at }) => at >= start * 1000 && at < end * 1000)
  const sum = (of: (one: EndedCall) => bigint) => Number(inside.reduce((all, one) => all + of(one), 0n))
  return {
    requests: inside.length,
    failed_requests: inside.filter(({ state }) => state !== "settled").length,
    input_tokens: sum(({ tokens }) => tokens[0]),
    output_tokens: sum(({ tokens }) => tokens[1]),
    cache_read_tokens: sum(({ tokens }) => tokens[2]),
    cache_write_tokens: sum(({ tokens }) => tokens[3]),
    usage_value_micros_usd: sum(({ value }) => value),
    charged_micros_usd: sum(({ charged }) => charged)
  }
}

const naiveBuckets = (calls: ReadonlyArray<EndedCall>, start: number, end: number) => {
  const buckets: Array<object> = []
  for (let from = start; from < end;) {
    const to = Math.min(end, (Math.floor(from / day) + 1) * day)
    buckets.push({ start_time: from, end_time: to, ...naive(calls, from, to) })
    from = to
  }
  return buckets
}

describe("the usage report", () => {
  it.effect("shows what a call cost as soon as it has ended", () =>
    Effect.gen(function* () {
      const paid = yield* ask("POST", "/v1/rerank", bearer, question)
      const refused = yield* ask(
        "POST",
        "/v1/rerank",
        { ...bearer, "x-tollgate-scenario": "status; code=400" },
        question
      )
      expect([paid.status, refused.status]).toEqual([200, 400])
      const { total_tokens } = (paid.json() as { readonly usage: { readonly total_tokens: number } }).usage
      const charged = Number(paid.headers["x-tollgate-cost-micros-usd"])
      expect(charged).toBeGreaterThan(0)
      const answer = yield* report(monday)
      expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"])
      const used = {
        ...zero,
        requests: 2,
        failed_requests: 1,
        input_tokens: total_tokens,
        usage_value_micros_usd: charged,
        charged_micros_usd: charged
      }
      expect(answer.json()).toEqual({
        scope: "key",
        currency: "USD",
        start_time: monday,
        end_time: monday + 6,
        bucket_width: "1d",
        totals: used,
        buckets: [{ start_time: monday, end_time: monday + 6, ...used }]
      })
      expect(answer.headers).toHaveProperty("x-tollgate-cost-state", "none")
    }).pipe(Effect.provide(layer(monday * 1000 + 5_500)))
  )

  it.effect("does not count itself", () =>
    Effect.gen(function* () {
      yield* report(monday - 60)
      expect((yield* report(monday - 60)).json()).toMatchObject({ totals: zero })
    }).pipe(Effect.provide(layer(monday * 1000)))
  )

  it.effect("has every day of the window in order, empty ones included, cut to the window", () =>
    Effect.gen(function* () {
      const { account } = yield* TestGateway
      const [{ id } = { id: "" }] = yield* (yield* TestGateway).accounts.listKeys(account)
      yield* insertEnded([call(account, id, (monday + 2 * day) * 1000 + 1)])
      const start = monday + 3 * 3600 + 7
      const end = monday + 4 * day + 61
      const { buckets } = (yield* report(start, end)).json() as {
        readonly buckets: ReadonlyArray<{ start_time: number; end_time: number; requests: number }>
      }
      expect(buckets.map(({ end_time, requests, start_time }) => [start_time, end_time, requests])).toEqual([
        [start, monday + day, 0],
        [monday + day, monday + 2 * day, 0],
        [monday + 2 * day, monday + 3 * day, 1],
        [monday + 3 * day, monday + 4 * day, 0],
        [monday + 4 * day, end, 0]
      ])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("has days of 24 hours when clocks change", () =>
    Effect.gen(function* () {
      const sunday = Date.UTC(2026, 2, 29) / 1000
      const { buckets } = (yield* report(sunday - day, sunday + 2 * day)).json() as {
        readonly buckets: ReadonlyArray<{ start_time: number }>
      }
      expect(buckets.map(({ start_time }) => start_time)).toEqual([sunday - day, sunday, sunday + day])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("includes the first millisecond of the window, not the one after its last", () =>
    Effect.gen(function* () {
      const { account } = yield* TestGateway
      const usage = yield* usageOf
      const [start, end] = [monday + 61, monday + day + 3_661]
      for (const at of [start * 1000 - 1, start * 1000, end * 1000 - 1, end * 1000]) {
        yield* insertEnded([call(account, "k", at)])
      }
      expect((yield* usage.report({ account }, { start_time: start, end_time: end })).totals.requests).toBe(2)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("accepts 366 days and no second more", () =>
    Effect.gen(function* () {
      const whole = yield* report(monday, monday + 366 * day)
      expect((whole.json() as { readonly buckets: ReadonlyArray<object> }).buckets).toHaveLength(366)
      const cut = yield* report(monday + 1, monday + 366 * day + 1)
      expect((cut.json() as { readonly buckets: ReadonlyArray<object> }).buckets).toHaveLength(367)
      for (const end of [monday + 366 * day + 1, monday + 367 * day]) {
        const long = yield* report(monday, end)
        expect([long.status, long.json()]).toEqual([400, { error: "the window is longer than 366 days" }])
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("refuses an invalid window with 400 and a message", () =>
    Effect.gen(function* () {
      for (const query of [
        "",
        "?end_time=5",
        "?start_time=",
        "?start_time=0",
        "?start_time=-5",
        "?start_time=1.5",
        "?start_time=1e9",
        "?start_time=0x10",
        "?start_time=NaN",
        "?start_time=9999999999999999",
        "?start_time=%27%20OR%201=1",
        `?start_time=${monday}&end_time=x`,
        `?start_time=${monday}&end_time=`,
        `?start_time=${monday}&end_time=-1`,
        `?start_time=${monday}&end_time=0`,
        `?start_time=${monday}&end_time=${monday}`,
        `?start_time=${monday}&end_time=${monday - 1}`,
        `?start_time=${monday + 1}`,
        "?start_time=8640000000000&end_time=8640000000001",
        "?start_time=999999999999998&end_time=999999999999999"
      ]) {
        const answer = yield* ask("GET", `/v1/usage${query}`, bearer)
        expect([answer.status, answer.json()], query).toEqual([400, { error: expect.stringMatching(/./) }])
      }
    }).pipe(Effect.provide(layer(monday * 1000)))
  )

  it.effect("shows nothing of other accounts and, for a key, nothing of other keys", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const [{ id: own } = { id: "" }] = yield* accounts.listKeys(account)
      const second = yield* accounts.createKey(account, {})
      const other = yield* accounts.create("other")
      const stranger = yield* accounts.createKey(other.id, {})
      const at = [0, 59_999, 3_600_000, 86_400_000, 90_061_000]
      yield* insertEnded(at.map((millis) => call(account, own, monday * 1000 + millis, 1n)))
      yield* insertEnded(at.map((millis) => call(account, second.id, monday * 1000 + millis, 10n)))
      yield* insertEnded(at.map((millis) => call(other.id, stranger.id, monday * 1000 + millis, 100n)))
      const chargedTo = (value: Redacted.Redacted) =>
        Effect.map(report(monday, undefined, { authorization: `Bearer ${Redacted.value(value)}` }), (answer) => {
          const { scope, totals } = answer.json() as {
            readonly scope: string
            readonly totals: { readonly charged_micros_usd: number }
          }
          return [scope, totals.charged_micros_usd]
        })
      expect(yield* chargedTo(Redacted.make(key))).toEqual(["key", 5])
      expect(yield* chargedTo(second.value)).toEqual(["key", 50])
      expect(yield* chargedTo(stranger.value)).toEqual(["key", 500])
      const usage = yield* usageOf
      const whole = yield* usage.report({ account }, { start_time: monday })
      expect([whole.scope, whole.totals.charged_micros_usd]).toEqual(["account", 55])
      const mixed = yield* usage.report({ account, key: stranger.id }, { start_time: monday })
      expect(mixed.totals.requests).toBe(0)
    }).pipe(Effect.provide(layer(monday * 1000 + 90_061_001)))
  )

  it.effect("covers the whole account for a credential that is not a key", () =>
    Effect.gen(function* () {
      const { account } = yield* TestGateway
      yield* insertEnded([call(account, "one", monday * 1000), call(account, "two", monday * 1000)])
      const principal = { account, allowance: allowances.Free, multiplier: 1_000_000n }
      const host = yield* unbilledHost.pipe(
        Effect.provideService(Keys, { find: () => Effect.succeed(Option.some(principal)) }),
        Effect.provideService(Usage, yield* usageOf)
      )
      const answer = yield* Effect.provideService(report(monday), Host, host)
      expect(answer.json()).toMatchObject({ scope: "account", totals: { requests: 2 } })
    }).pipe(Effect.provide(layer(monday * 1000 + 1)))
  )

  it.effect("adds amounts exactly up to the largest safe integer, and refuses a window with more", () =>
    Effect.gen(function* () {
      const { account } = yield* TestGateway
      const usage = yield* usageOf
      const most = BigInt(Number.MAX_SAFE_INTEGER)
      yield* insertEnded([call(account, "k", monday * 1000, most - 1n), call(account, "k", monday * 1000 + 1, 1n)])
      const asked = { start_time: monday, end_time: monday + 1 }
      expect((yield* usage.report({ account }, asked)).totals.charged_micros_usd).toBe(Number(most))
      const [{ id } = { id: "" }] = yield* (yield* TestGateway).accounts.listKeys(account)
      yield* insertEnded([call(account, id, monday * 1000, most)])
      expect((yield* report(monday, monday + 1)).json()).toMatchObject({
        totals: { charged_micros_usd: Number.MAX_SAFE_INTEGER }
      })
      yield* insertEnded([call(account, id, monday * 1000, 1n)])
      const refused = yield* report(monday, monday + 1)
      expect([refused.status, refused.json()]).toEqual([400, { error: expect.stringContaining("shorter window") }])
      expect((yield* report(monday + 1, monday + 2)).status).toBe(200)
    }).pipe(Effect.provide(layer()))
  )
})

describe("for any calls and any window", () => {
  const origin = monday * 1000
  const moment = fc.oneof(
    fc.integer({ min: 0, max: 5 * day * 1000 }),
    // On and next to the edges of minutes, hours and days.
    fc
      .tuple(
        fc.integer({ min: 0, max: 5 * 24 * 60 }),
        fc.constantFrom(60_000, 3_600_000, 86_400_000),
        fc.integer({ min: -1, max: 1 })
      )
      .map(([n, span, off]) => Math.max(0, ((n * span) % (5 * day * 1000)) + off))
  )
  const count = fc.bigInt({ min: 0n, max: 1_000_000n })
  const ended = (account: string) =>
    fc.record({
      account: fc.constantFrom(account, "somebody"),
      key: fc.constantFrom("a", "b"),
      at: moment.map((millis) => origin + millis),
      state: fc.constantFrom("settled" as const, "released" as const, "unknown" as const),
      tokens: fc.tuple(count, count, count, count),
      value: count,
      charged: count
    })
  const seconds = moment.map((millis) => monday + Math.floor(millis / 1000))

  it.effect("the report equals the sum of the rows, day by day", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const { account, sql } = gateway
      const usage = yield* usageOf
      const context = yield* Effect.context<TestGateway>()
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.array(ended(account), { maxLength: 40 }),
            fc.array(fc.tuple(seconds, seconds, fc.constantFrom("a", "b", undefined)), { minLength: 1, maxLength: 8 }),
            (calls, windows) =>
              Effect.gen(function* () {
                yield* sql`DELETE FROM calls`
                yield* sql`DELETE FROM usage_sums`
                yield* sql`DELETE FROM account_sums`
                yield* insertEnded(calls)
                for (const [x, y, key] of windows) {
                  const [start, end] = [Math.min(x, y), Math.max(x, y) + 1]
                  const mine = calls.filter((one) => one.account === account && (key === undefined || one.key === key))
                  const found = yield* usage.report({ account, key }, { start_time: start, end_time: end })
                  expect(found.totals).toEqual(naive(mine, start, end))
                  expect(found.buckets).toEqual(naiveBuckets(mine, start, end))
                }
              }).pipe(Effect.runPromiseWith(context))
          ),
          { numRuns: 400 }
        )
      )
    }).pipe(Effect.provide(layer()))
  )
})

describe("the cost of a report", () => {
  interface Statement {
    readonly text: string
    readonly values: ReadonlyArray<unknown>
  }

  /** A service that records its statements. */
  const watched = Effect.fnUntraced(function* (statements: Array<Statement>) {
    const { sql } = yield* TestGateway
    const unsafe: typeof sql.unsafe = (text, values = []) => {
      statements.push({ text, values })
      return sql.unsafe(text, values)
    }
    const client = new Proxy(sql, { get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)) })
    return yield* Usage.pipe(
      Effect.provide(Layer.fresh(UsageSql.layer).pipe(Layer.provide(Layer.succeed(SqlClient, client))))
    )
  })

  /** How many rows each part of the statement reads, and through which index. */
  const explain = Effect.fnUntraced(function* ({ text, values }: Statement) {
    const { sql } = yield* TestGateway
    const plan = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values)
    const found: Array<number> = []
    let bound = 0
    for (const part of /FROM \((.*)\) AS parts/.exec(text)![1]!.split(" UNION ALL ")) {
      const marks = part.split("?").length - 1
      const rows = yield* sql.unsafe<{ readonly n: number }>(
        `SELECT COUNT(*) AS n FROM (${part})`,
        values.slice(bound, (bound += marks))
      )
      found.push(rows[0]!.n)
    }
    return {
      plan: plan.map(({ detail }) => detail).filter((line) => /calls|usage_sums|account_sums/.test(line)),
      found
    }
  })

  const cost = Effect.fnUntraced(function* (each: number, key?: "k") {
    const { account } = yield* TestGateway
    const statements: Array<Statement> = []
    const usage = yield* watched(statements)
    const start = monday + 3 * 3600 + 90
    const end = start + 5 * day
    const minutes = Array.from({ length: 98 }, (_, i) => (start + 60) * 1000 + i * 4_380_000)
    const calls = minutes.flatMap((at) => Array.from({ length: each }, (_, i) => call(account, "k", at + i)))
    // Minutes that the window cuts are read from single calls.
    yield* insertEnded([call(account, "k", start * 1000), ...calls, call(account, "k", end * 1000 - 1)])
    const { totals } = yield* usage.report({ account, key }, { start_time: start, end_time: end })
    expect(totals.requests).toBe(98 * each + 2)
    expect(statements).toHaveLength(1)
    return yield* explain(statements[0]!)
  })

  it.effect("is the same for 100 calls and for 20,000: as many rows, found by an index", () =>
    Effect.gen(function* () {
      const few = yield* cost(1).pipe(Effect.provide(layer()))
      const many = yield* cost(204).pipe(Effect.provide(layer()))
      expect(few.found.reduce((a, b) => a + b)).toBeLessThan(100)
      expect(many).toEqual(few)
      expect(few.plan).toHaveLength(7)
      for (const line of few.plan) {
        expect(line).toMatch(
          /^SEARCH (calls USING INDEX calls_ended \(account=\? AND ended_at>\? AND ended_at<\?\)|account_sums USING INDEX \S+ \(account=\? AND span=\? AND start>\? AND start<\?\))$/
        )
      }
    })
  )

  it.effect("does not grow with the number of keys of an account", () =>
    Effect.gen(function* () {
      const { account, sql } = yield* TestGateway
      const usage = yield* watched([])
      const minute = (monday + 3 * 3600 + 120) * 1000
      yield* insertEnded(Array.from({ length: 500 }, (_, i) => call(account, `key ${i}`, minute)))
      const window = { start_time: minute / 1000 - 60, end_time: minute / 1000 + 3600 }
      expect((yield* usage.report({ account }, window)).totals.requests).toBe(500)
      expect(yield* sql`SELECT COUNT(*) AS n FROM account_sums`).toEqual([{ n: 3 }])
      expect(yield* sql`SELECT COUNT(*) AS n FROM usage_sums`).toEqual([{ n: 1500 }])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of one key does not grow with the account's other keys", () =>
    Effect.gen(function* () {
      const { account } = yield* TestGateway
      const of = (key: string, at: number) => call(account, key, at)
      const minute = (monday + 3 * 3600 + 120) * 1000
      yield* insertEnded(Array.from({ length: 500 }, (_, i) => of(`other ${i}`, minute)))
      const alone = yield* cost(1, "k").pipe(Effect.provide(layer()))
      const among = yield* cost(1, "k")
      expect(among).toEqual(alone)
      expect(among.plan).toHaveLength(7)
      const sums = among.plan.filter((line) => line.includes("usage_sums"))
      expect(sums).toHaveLength(5)
      for (const line of sums) {
        expect(line).toBe(
          "SEARCH usage_sums USING INDEX usage_sums_key (account=? AND key=? AND span=? AND start>? AND start<?)"
        )
      }
    }).pipe(Effect.provide(layer()))
  )
})
