import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { TransactionLog, UsageLog } from "@tollgate/gateway"
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

const sample: UsageLog.ExportedCall = {
  id: "req_1",
  account: "acct_1",
  key: "key_1",
  operation: "rerank",
  model: "m-1",
  tags: "team=search,job=nightly",
  state: "settled",
  reserved_micros_usd: 3n,
  cap_micros_usd: null,
  created_at: "1970-01-01T00:00:00.000Z",
  ended_at: "1970-01-01T00:00:01.500Z",
  status: 200n,
  failed: false,
  value_micros_usd: 2n,
  charged_micros_usd: 1n,
  charged_nano_usd: 1_000n,
  loss_micros_usd: 7n,
  loss_nano_usd: 7_000n,
  cost_state: "settled",
  evidence: '{"kind":"tokens","total":4}',
  input_tokens: 4n,
  output_tokens: 0n,
  cache_read_tokens: 0n,
  cache_write_tokens: 0n,
  upstream: "first",
  tried: null,
  gaps: null,
  cost_nano_usd: 1_400n,
  error: null,
  kept: false,
  margin_nano_usd: -400n
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
      const at = new Date(started).toISOString()
      expect(log.map(({ id, state }) => [id, state])).toEqual([
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
        cost_state: "settled",
        value_micros_usd: charged,
        charged_micros_usd: charged,
        loss_micros_usd: 0n,
        evidence: JSON.stringify({ kind: "tokens", total }),
        created_at: at,
        ended_at: at
      })
      expect(log[0]?.reserved_micros_usd).toBeGreaterThanOrEqual(charged)
      expect(log[1]).toMatchObject({ cost_state: null, evidence: null, charged_micros_usd: 0n, ended_at: at })
      expect(log[2]).toMatchObject({ cost_state: null, charged_micros_usd: 0n, ended_at: at })
      const text = yield* written(UsageLog.csv(UsageLog.stream()).pipe(Stream.provideService(SqlClient, sql)))
      expect(text.split("\r\n")[2]).toContain(`,${at},${at},`)
    }).pipe(Effect.provide(layer(started)))
  )

  it.effect("no page loses or repeats a call, even when many ended in the same millisecond", () =>
    Effect.gen(function* () {
      const { account } = yield* TestGateway
      yield* insertEnded(Array.from({ length: 1_700 }, (_, i) => call(account, "k", 10 + Math.floor(i / 900))))
      yield* insertEnded(Array.from({ length: 500 }, () => call("another", "k", 10)))
      const log = yield* logged({ end: 100 })
      expect(log).toHaveLength(2_200)
      expect(new Set(log.map(({ id }) => id)).size).toBe(2_200)
      const mine = log.filter((one) => one.account === account)
      expect(mine.map(({ ended_at }) => ended_at)).toEqual(mine.map(({ ended_at }) => ended_at).toSorted())
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
        Effect.map(logged({ end: 100, ...filter }), (log) =>
          log.map((one) => `${one.key} ${Date.parse(one.ended_at ?? "")}`).sort()
        )
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
      expect(statements.length).toBeGreaterThan(0)
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
      expect(log.map(({ id, state }) => [id, state])).toEqual([["late", "open"]])
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
      const logged = (filter?: TransactionLog.Filter) =>
        Effect.provideService(Stream.runCollect(TransactionLog.stream(filter)), SqlClient, sql)
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
        TransactionLog.csv(TransactionLog.stream({ account: other.id })).pipe(Stream.provideService(SqlClient, sql))
      )
      expect(text).toContain("entry_id,account,kind,amount_micros_usd,call,note,at\r\n")
      expect(text).toContain(`,${other.id},adjustment,-5,,'=1+1,1970-01-01T00:00:01.001Z\r\n`)
      const lines = yield* written(
        TransactionLog.ndjson(TransactionLog.stream({ account: other.id })).pipe(Stream.provideService(SqlClient, sql))
      )
      expect(lines).toContain('"kind":"adjustment","amount_micros_usd":-5,"call":null,"note":"=1+1"')
    }).pipe(Effect.provide(layer()))
  )
})

describe("CSV export", () => {
  const header =
    "id,account,key,operation,model,tags,state,reserved_micros_usd,cap_micros_usd,created_at,ended_at,status,failed," +
    "value_micros_usd,charged_micros_usd,charged_nano_usd,loss_micros_usd,loss_nano_usd,cost_state,evidence,input_tokens," +
    "output_tokens,cache_read_tokens,cache_write_tokens,upstream,tried,gaps,cost_nano_usd,error,kept,margin_nano_usd"

  it.effect("starts with a header, then has a line for each call", () =>
    Effect.gen(function* () {
      expect(yield* written(UsageLog.csv(Stream.empty))).toBe(`${header}\r\n`)
      expect(
        yield* written(
          UsageLog.csv(
            Stream.make(sample, { ...sample, cost_nano_usd: null, evidence: null, ended_at: null, tags: null })
          )
        )
      ).toBe(
        `${header}\r\n` +
          'req_1,acct_1,key_1,rerank,m-1,"team=search,job=nightly",settled,3,,1970-01-01T00:00:00.000Z,' +
          '1970-01-01T00:00:01.500Z,200,false,2,1,1000,7,7000,settled,"{""kind"":""tokens"",""total"":4}",4,0,0,0,first,,,' +
          "1400,,false,-400\r\n" +
          "req_1,acct_1,key_1,rerank,m-1,,settled,3,,1970-01-01T00:00:00.000Z,,200,false,2,1,1000,7,7000,settled,,4,0,0,0," +
          "first,,,,,false,-400\r\n"
      )
    })
  )

  it.effect("text cannot become a formula, and amounts stay exact numbers", () =>
    Effect.gen(function* () {
      for (const first of ["=", "+", "-", "@", "\t", "\r", "\n", "\uFF1D"]) {
        const evidence = `${first}cmd|' /C calc'!A0`
        const big = -9_007_199_254_740_993n
        const rows = yield* cells(
          yield* written(UsageLog.csv(Stream.make({ ...sample, evidence, charged_micros_usd: big })))
        )
        expect(rows[1]?.[19]).toBe(`'${evidence}`)
        expect(rows[1]?.[14]).toBe("-9007199254740993")
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
              expect(rows.map((row) => row.length)).toEqual([31, 31, 31])
              expect([evidence, `'${evidence}`]).toContain(rows[1]?.[19])
              expect(rows[1]?.[19]).not.toMatch(/^[=+\-@\t\r\n]/)
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
          Stream.make(sample, { ...sample, evidence, ended_at: null, value_micros_usd: 9_007_199_254_740_993n })
        )
      )
      const lines = text.split("\n")
      expect(lines).toHaveLength(3)
      const plain = Object.entries(sample).map(([name, of]) => [name, typeof of === "bigint" ? Number(of) : of])
      expect(JSON.parse(lines[0]!)).toEqual(Object.fromEntries(plain))
      expect(JSON.parse(lines[1]!)).toMatchObject({ evidence, ended_at: null })
      expect(lines[1]).toContain('"value_micros_usd":9007199254740993,')
      expect(yield* written(UsageLog.ndjson(Stream.empty))).toBe("")
    })
  )
})
