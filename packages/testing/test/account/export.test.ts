import { describe, expect, it } from "@effect/vitest"
import { micro, nano } from "@tollgate/contract/Money"
import { EntryLog, UsageLog } from "@tollgate/gateway"
import type { LoggedCall } from "@tollgate/ledger/usage/LoggedCall"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Csv from "effect/encoding/Csv"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { ask } from "@tollgate/testing/ask"
import { insertEnded } from "@tollgate/testing/ledger/endedCalls"

/** Large enough to cost something after rounding. */
const question = JSON.stringify({ query: "q", documents: ["word ".repeat(1_000)] })

const layer = (millis = 0) =>
  Host.layerInProcess.pipe(
    Layer.provideMerge(TestGateway.layer()),
    Layer.provide(Layer.effectDiscard(TestClock.setTime(millis)))
  )

const logged = (filter?: UsageLog.Filter) =>
  Effect.flatMap(TestGateway, ({ sql }) =>
    Effect.provideService(Stream.runCollect(UsageLog.stream(filter)), SqlClient, sql)
  )

const written = <E>(lines: Stream.Stream<string, E>) =>
  Effect.map(Stream.runCollect(lines), (parts) => [...parts].join(""))

const cells = (text: string) =>
  Effect.map(Stream.runCollect(Stream.make(text).pipe(Stream.pipeThroughChannel(Csv.decodeString()))), (rows) => [
    ...rows
  ])

const sample: LoggedCall = {
  requestId: "req_1",
  account: "acct_1",
  key: "key_1",
  operation: "rerank",
  state: "settled",
  costState: "settled",
  estimate: micro(3n),
  value: micro(2n),
  charged: micro(1n),
  loss: micro(7n),
  cost: nano(1_400n),
  evidence: '{"kind":"tokens","total":4}',
  createdAt: 0,
  endedAt: 1_500,
  model: "m-1",
  upstream: "first",
  tags: { team: "search", job: "nightly" }
}

const call = (account: string, key: string, at: number) => ({
  account,
  key,
  at,
  state: "settled" as const,
  tokens: [0n, 0n, 0n, 0n] as const,
  value: 0n,
  charged: 0n
})

/** A client that records the statements that run. */
const watching = (sql: SqlClient) => {
  const statements: Array<{ readonly text: string; readonly values: ReadonlyArray<unknown> }> = []
  const unsafe: typeof sql.unsafe = (text, values = []) => {
    statements.push({ text, values })
    return sql.unsafe(text, values)
  }
  const watched = new Proxy(sql, {
    get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name))
  })
  return { statements, watched }
}

describe("the usage log", () => {
  const started = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

  it.effect("has a row for each call with its cost and the evidence for it", () =>
    Effect.gen(function* () {
      const { account, sql } = yield* TestGateway
      const bearer = { authorization: `Bearer ${key}` }
      const paid = yield* ask("POST", "/v1/rerank", bearer, question)
      const refused = yield* ask(
        "POST",
        "/v1/rerank",
        { ...bearer, "x-tollgate-scenario": "status; code=400" },
        question
      )
      const lost = yield* ask("POST", "/v1/rerank", { ...bearer, "x-tollgate-scenario": "reset" }, question)
      const log = yield* logged()
      expect(log.map(({ requestId, state }) => [requestId, state])).toEqual([
        [paid.headers["x-request-id"], "settled"],
        [refused.headers["x-request-id"], "released"],
        [lost.headers["x-request-id"], "unknown"]
      ])
      const { total_tokens: total } = (paid.json() as { readonly usage: { readonly total_tokens: number } }).usage
      const charged = BigInt(paid.headers["x-tollgate-cost-micros-usd"] ?? "")
      expect(charged).toBeGreaterThan(0n)
      expect(log[0]).toMatchObject({
        account,
        operation: "rerank",
        costState: "settled",
        value: charged,
        charged,
        loss: 0n,
        evidence: JSON.stringify({ kind: "tokens", total }),
        createdAt: started,
        endedAt: started
      })
      expect(log[0]?.estimate).toBeGreaterThanOrEqual(charged)
      expect(log[1]).toMatchObject({ costState: null, evidence: null, charged: 0n, endedAt: started })
      expect(log[2]).toMatchObject({ costState: null, charged: 0n, endedAt: started })
      const text = yield* written(UsageLog.csv(UsageLog.stream()).pipe(Stream.provideService(SqlClient, sql)))
      expect(text.split("\r\n")[2]).toContain("2026-01-02T03:04:05.678Z,2026-01-02T03:04:05.678Z")
    }).pipe(Effect.provide(layer(started)))
  )

  it.effect("no page loses or repeats a call, even when many ended in the same millisecond", () =>
    Effect.gen(function* () {
      const { account } = yield* TestGateway
      yield* insertEnded(Array.from({ length: 1_700 }, (_, i) => call(account, "k", 10 + Math.floor(i / 900))))
      yield* insertEnded(Array.from({ length: 500 }, () => call("another", "k", 10)))
      const log = yield* logged({ end: 100 })
      expect(log).toHaveLength(2_200)
      expect(new Set(log.map(({ requestId }) => requestId)).size).toBe(2_200)
      const mine = log.filter((one) => one.account === account)
      expect(mine.map(({ endedAt }) => endedAt)).toEqual(mine.map(({ endedAt }) => endedAt).sort((a, b) => a! - b!))
    }).pipe(Effect.provide(layer()))
  )

  it.effect("returns only the account, key and time window asked for", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const own = yield* accounts.createKey(account, {})
      const other = yield* accounts.create("other")
      yield* insertEnded([
        ...[10, 20, 30].map((at) => call(account, own.id, at)),
        call(account, "second", 20),
        call(other.id, "third", 20)
      ])
      const found = (filter: UsageLog.Filter) =>
        Effect.map(logged({ end: 100, ...filter }), (log) => log.map((one) => `${one.key} ${one.endedAt}`).sort())
      const mine = [10, 20, 30].map((at) => `${own.id} ${at}`)
      expect(yield* found({})).toHaveLength(5)
      expect(yield* found({ account })).toEqual([...mine, "second 20"].sort())
      expect(yield* found({ account: other.id })).toEqual(["third 20"])
      expect(yield* found({ key: own.id })).toEqual(mine)
      expect(yield* found({ account: other.id, key: own.id })).toEqual([])
      expect(yield* found({ account: "nobody" })).toEqual([])
      expect(yield* found({ key: "nobody" })).toEqual([])
      expect(yield* found({ key: own.id, start: 20 })).toEqual(mine.slice(1))
      expect(yield* found({ key: own.id, end: 20 })).toEqual(mine.slice(0, 1))
      expect(yield* found({ key: own.id, start: 20, end: 30 })).toEqual(mine.slice(1, 2))
    }).pipe(Effect.provide(layer()))
  )

  it.effect("reads one page at a time by an index, and no page that is not needed", () =>
    Effect.gen(function* () {
      const { account, sql } = yield* TestGateway
      yield* insertEnded(Array.from({ length: 3_000 }, (_, i) => call(account, "k", i)))
      const { statements, watched } = watching(sql)
      const taken = yield* UsageLog.stream({ account, end: 10_000 }).pipe(
        Stream.take(600),
        Stream.runCount,
        Effect.provideService(SqlClient, watched)
      )
      expect(taken).toBe(600)
      expect(statements.map(({ text }) => /LIMIT (\d+)$/.exec(text)?.[1])).toEqual(["500", "500", "500", "500"])
      const details: Array<string> = []
      for (const { text, values } of statements) {
        const plan = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values)
        details.push(plan[0]!.detail)
      }
      expect(details[0]).toContain("calls_open")
      expect(details[1]).toContain("calls_running")
      expect(details.slice(2).every((detail) => detail.includes("calls_ended (account=? AND ended_at>?"))).toBe(true)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of all accounts, no statement reads a call twice", () =>
    Effect.gen(function* () {
      const { sql } = yield* TestGateway
      const names = Array.from({ length: 40 }, (_, i) => `acct_${i}`)
      yield* insertEnded(names.flatMap((account, i) => [call(account, "k", i), call(account, "k", 100 - i)]))
      const { statements, watched } = watching(sql)
      const found = yield* UsageLog.stream({ end: 1_000 }).pipe(
        Stream.runCollect,
        Effect.provideService(SqlClient, watched)
      )
      expect([...new Set(found.map(({ account }) => account))]).toEqual(names.toSorted())
      expect(found).toHaveLength(80)
      for (const { text, values } of statements) {
        const plan = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values)
        // The index of running tasks has nothing else in it.
        expect(plan[0]?.detail, text).toMatch(/^SEARCH calls|^SCAN calls USING INDEX calls_running$/)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a call that ends during the export appears once", () =>
    Effect.gen(function* () {
      const { account, sql } = yield* TestGateway
      yield* sql`INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner)
        VALUES ('late', ${account}, 'k', 'rerank', 'open', 1, 5, 'test')`
      const log = yield* UsageLog.stream({ end: 100 }).pipe(
        Stream.tap(() => sql`UPDATE calls SET state = 'settled', ended_at = 6 WHERE id = 'late'`),
        Stream.runCollect,
        Effect.provideService(SqlClient, sql)
      )
      expect(log.map(({ requestId, state }) => [requestId, state])).toEqual([["late", "open"]])
    }).pipe(Effect.provide(layer()))
  )
})

describe("the log of entries", () => {
  it.effect("has every entry once, by account and time, of the account and days asked for", () =>
    Effect.gen(function* () {
      const { account, accounts, sql } = yield* TestGateway
      const other = yield* accounts.create("other")
      // More than two pages, many in the same millisecond.
      for (let i = 0; i < 1_200; i++) {
        yield* TestClock.setTime(1_000 + Math.floor(i / 700))
        yield* accounts.topUp(account, micro(BigInt(i + 1)), "", `pay-${i}`)
      }
      yield* accounts.adjust(other.id, -5n, "=1+1")
      const logged = (filter?: EntryLog.Filter) =>
        Effect.provideService(Stream.runCollect(EntryLog.stream(filter)), SqlClient, sql)
      const all = yield* logged()
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
      for (const { balance, id } of yield* accounts.list) {
        const sum = all.filter((entry) => entry.account === id).reduce((sum, { amount }) => sum + amount, 0n)
        expect(sum).toBe(balance)
      }
      expect(all.map(({ account }) => account)).toEqual(all.map(({ account }) => account).toSorted())
      expect(yield* logged({ account, start: 1_001 })).toHaveLength(500)
      expect(yield* logged({ account, start: 1_000, end: 1_001 })).toHaveLength(700)
      expect(yield* logged({ account: "nobody" })).toEqual([])
      const text = yield* written(
        EntryLog.csv(EntryLog.stream({ account: other.id })).pipe(Stream.provideService(SqlClient, sql))
      )
      expect(text).toContain("entry_id,account,kind,amount_micros_usd,call,note,at\r\n")
      expect(text).toContain(`,${other.id},adjustment,-5,,'=1+1,1970-01-01T00:00:01.001Z\r\n`)
      const lines = yield* written(
        EntryLog.ndjson(EntryLog.stream({ account: other.id })).pipe(Stream.provideService(SqlClient, sql))
      )
      expect(lines).toContain('"kind":"adjustment","amount_micros_usd":-5,"call":null,"note":"=1+1"')
    }).pipe(Effect.provide(layer()))
  )
})

describe("CSV export", () => {
  const header =
    "request_id,account,key,operation,state,cost_state,estimate_micros_usd,value_micros_usd,charged_micros_usd," +
    "loss_micros_usd,evidence,created_at,ended_at,model,upstream,tags,kept,cost_nano_usd,margin_nano_usd"

  it.effect("starts with a header, then has a line for each call", () =>
    Effect.gen(function* () {
      expect(yield* written(UsageLog.csv(Stream.empty))).toBe(`${header}\r\n`)
      expect(
        yield* written(
          UsageLog.csv(Stream.make(sample, { ...sample, cost: null, evidence: null, endedAt: null, tags: {} }))
        )
      ).toBe(
        `${header}\r\n` +
          'req_1,acct_1,key_1,rerank,settled,settled,3,2,1,7,"{""kind"":""tokens"",""total"":4}",' +
          '1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.500Z,m-1,first,"team=search,job=nightly",false,1400,-400\r\n' +
          "req_1,acct_1,key_1,rerank,settled,settled,3,2,1,7,,1970-01-01T00:00:00.000Z,,m-1,first,,false,,\r\n"
      )
    })
  )

  it.effect("text cannot become a formula, and amounts stay exact numbers", () =>
    Effect.gen(function* () {
      for (const first of ["=", "+", "-", "@", "\t", "\r", "\n", "\uFF1D"]) {
        const evidence = `${first}cmd|' /C calc'!A0`
        const big = micro(-9_007_199_254_740_993n)
        const rows = yield* cells(yield* written(UsageLog.csv(Stream.make({ ...sample, evidence, charged: big }))))
        expect(rows[1]?.[10]).toBe(`'${evidence}`)
        expect(rows[1]?.[8]).toBe("-9007199254740993")
      }
    })
  )

  it.effect("any text stays in one cell and never starts a formula", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', ",", "\r\n", "=", "@", "'"))),
          (parts) =>
            Effect.gen(function* () {
              const evidence = parts.join("")
              const rows = yield* cells(yield* written(UsageLog.csv(Stream.make({ ...sample, evidence }, sample))))
              expect(rows.map((row) => row.length)).toEqual([19, 19, 19])
              expect([evidence, `'${evidence}`]).toContain(rows[1]?.[10])
              expect(rows[1]?.[10]).not.toMatch(/^[=+\-@\t\r\n]/)
            }).pipe(Effect.runPromise)
        )
      )
    )
  )
})

describe("NDJSON export", () => {
  it.effect("has one JSON object a line, with exact integers", () =>
    Effect.gen(function* () {
      const evidence = '=1\n"\u2028'
      const text = yield* written(
        UsageLog.ndjson(
          Stream.make(sample, { ...sample, evidence, endedAt: null, value: micro(9_007_199_254_740_993n) })
        )
      )
      const lines = text.split("\n")
      expect(lines).toHaveLength(3)
      expect(JSON.parse(lines[0]!)).toEqual({
        request_id: "req_1",
        account: "acct_1",
        key: "key_1",
        operation: "rerank",
        state: "settled",
        cost_state: "settled",
        estimate_micros_usd: 3,
        value_micros_usd: 2,
        charged_micros_usd: 1,
        loss_micros_usd: 7,
        evidence: sample.evidence,
        created_at: "1970-01-01T00:00:00.000Z",
        ended_at: "1970-01-01T00:00:01.500Z",
        model: "m-1",
        upstream: "first",
        tags: "team=search,job=nightly",
        kept: false,
        cost_nano_usd: 1400,
        margin_nano_usd: -400
      })
      expect(JSON.parse(lines[1]!)).toMatchObject({ evidence, ended_at: null })
      expect(lines[1]).toContain('"value_micros_usd":9007199254740993,')
      expect(yield* written(UsageLog.ndjson(Stream.empty))).toBe("")
    })
  )
})
