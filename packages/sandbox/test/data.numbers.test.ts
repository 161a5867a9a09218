import { describe, expect, it } from "@effect/vitest"
import { financialSnapshot } from "@tollgate/contract/operations/financialSnapshot"
import { metrics } from "@tollgate/contract/resources/FinancialSnapshot"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { table } from "../src/data/table.ts"
import { call, query } from "./dataAsk.ts"

const snapshot = (parameters: Record<string, string>) =>
  call(table["GET /apis/v1/financial/financial-metrics/snapshot"], "GET", { query: query(parameters) })

const traffic = (parameters: Record<string, string>) =>
  call(table["GET /apis/v1/{traffic_analytics}/website/traffic-engagement"], "GET", { query: query(parameters) })

const read = Schema.decodeUnknownSync(financialSnapshot.success)

const numbers = (body: unknown) => {
  const { snapshot: got } = read(body)
  return Object.fromEntries(metrics.map((name) => [name, Number(got[name] ?? Number.NaN)])) as Record<
    (typeof metrics)[number],
    number
  >
}

const tickers = [
  "AAPL",
  "A",
  "BRK.B",
  "BF-A",
  ...Array.from({ length: 200 }, (_, at) => `T${String.fromCharCode(65 + (at % 26), 65 + Math.floor(at / 26))}`)
]

describe("a company's figures", () => {
  it.effect("are complete and finite", () =>
    Effect.gen(function* () {
      for (const ticker of tickers) {
        const { billed, body, operation, status } = yield* snapshot({ ticker })
        expect({ status, billed, operation }).toEqual({
          status: 200,
          billed: { requests: 1 },
          operation: "financial.metrics_snapshot"
        })
        const of = numbers(body)
        expect(Object.keys(read(body).snapshot).sort()).toEqual([...metrics, "ticker"].sort())
        expect(Object.values(of).every(Number.isFinite)).toBe(true)
        expect(of.market_cap).toBeGreaterThan(1_000_000)
        expect(of.gross_margin).toBeLessThan(1)
      }
    })
  )

  it.effect("are the same each time, ignore the ticker's case, and differ between companies", () =>
    Effect.gen(function* () {
      const one = yield* snapshot({ ticker: "AAPL" })
      expect(yield* snapshot({ ticker: "aapl" })).toEqual(one)
      expect(numbers((yield* snapshot({ ticker: "MSFT" })).body)).not.toEqual(numbers(one.body))
    })
  )

  it.effect("are also found by CIK", () =>
    Effect.gen(function* () {
      const byKey = yield* snapshot({ cik: "0000320193" })
      expect(yield* snapshot({ cik: "320193" })).toEqual(byKey)
      const { ticker } = read(byKey.body).snapshot
      expect(yield* snapshot({ ticker })).toEqual(byKey)
      expect(yield* snapshot({ ticker, cik: "5" })).toEqual(byKey)
    })
  )

  it.effect("are not found for an invalid ticker or CIK", () =>
    Effect.gen(function* () {
      for (const parameters of [
        { ticker: "TOOLONG" },
        { ticker: "1" },
        { ticker: "A B" },
        { cik: "x" },
        { cik: "12345678901" },
        { ticker: "__proto__" }
      ]) {
        expect(yield* snapshot(parameters as Record<string, string>)).toMatchObject({ status: 404, billed: {} })
      }
      expect(yield* snapshot({})).toMatchObject({ status: 400, billed: {} })
      expect(yield* snapshot({ ticker: "" })).toMatchObject({ status: 400, billed: {} })
    })
  )
})

describe("a website's traffic", () => {
  interface Answer {
    readonly domain: string
    readonly traffic: ReadonlyArray<Record<string, number | string>>
  }

  it.effect("covers six whole months, and the numbers of a month never change", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 1, 28))
      const first = yield* traffic({ domain: "Example.com" })
      expect(first).toMatchObject({
        status: 200,
        billed: { requests: 1 },
        operation: "traffic_analytics.traffic_engagement"
      })
      expect(yield* traffic({})).toEqual(first)
      const answer = first.body as Answer
      expect(answer.domain).toBe("example.com")
      expect(answer.traffic.map(({ month }) => month)).toEqual([
        "2025-08",
        "2025-09",
        "2025-10",
        "2025-11",
        "2025-12",
        "2026-01"
      ])
      for (const month of answer.traffic) {
        expect(month["bounce_rate"]).toBeGreaterThan(0)
        expect(month["bounce_rate"]).toBeLessThan(1)
        expect(Number(month["unique_visitors"])).toBeLessThanOrEqual(Number(month["visits"]))
        expect(month["pages_per_visit"]).toBeGreaterThan(1)
        expect(month["average_visit_duration_seconds"]).toBeGreaterThan(0)
      }
      yield* TestClock.setTime(Date.UTC(2026, 2, 1))
      const later = (yield* traffic({ domain: "example.com" })).body as Answer
      expect(later.traffic.slice(0, 5)).toEqual(answer.traffic.slice(1))
    })
  )

  it.effect("is refused in the legacy compatibility mode and for an invalid domain", () =>
    Effect.gen(function* () {
      expect(yield* traffic({ domain: "example.com", compatibility: "legacy" })).toMatchObject({
        status: 409,
        body: { code: "compatibility" },
        billed: {}
      })
      for (const domain of ["x", "http://example.com", "a..b", "-a.com", "é.com", `${"a".repeat(250)}.com`]) {
        expect(yield* traffic({ domain })).toMatchObject({ status: 400, billed: {} })
      }
    })
  )
})
