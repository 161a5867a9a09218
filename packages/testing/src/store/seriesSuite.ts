import { describe, expect, it } from "@effect/vitest"
import type { UsageGroup } from "@tollgate/contract/account/UsageSeries"
import { Ledger, Usage, UsageSql } from "@tollgate/gateway"
import type { Priced } from "@tollgate/gateway/exchange/Exchange"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { differences, exchange, funded, ledgerOn, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"

const hour = 3_600_000
const day = 86_400_000
/** A day at 03:30. */
const origin = 1_000 * day + 3.5 * hour
const seconds = (millis: number) => millis / 1000

interface Call {
  readonly at: number
  readonly key: string
  readonly operation: string
  readonly model: string | undefined
  /** `undefined`: it fails and costs nothing. */
  readonly micros: number | undefined
}

const make = Effect.fnUntraced(function* (account: string, { at, key, micros, model, operation }: Call) {
  const ledger = yield* Ledger
  yield* TestClock.setTime(at)
  const priced = { ...exchange(account, key, 10, undefined, undefined, model), operation: { id: operation } }
  const result = yield* ledger.reserve(priced as Priced, undefined)
  if (result.kind !== "reserved") return yield* Effect.die(result.kind)
  yield* micros === undefined ? ledger.release(result.reservation, 500) : settle(result.reservation, micros)
})

/** What a reader would add up by hand. */
const sum = (calls: ReadonlyArray<Call>) => ({
  requests: calls.length,
  failed_requests: calls.filter(({ micros }) => micros === undefined).length,
  charged_micros_usd: calls.reduce((total, { micros = 0 }) => total + micros, 0)
})

const by = (calls: ReadonlyArray<Call>, idOf: (call: Call) => string) => {
  const ids = [...new Set(calls.map(idOf))]
  return ids
    .map((id) => ({ id, totals: sum(calls.filter((call) => idOf(call) === id)) }))
    .toSorted(
      (a, b) =>
        b.totals.charged_micros_usd - a.totals.charged_micros_usd ||
        b.totals.requests - a.totals.requests ||
        (a.id < b.id ? -1 : 1)
    )
}

const ids = (groups: ReadonlyArray<UsageGroup>) => groups.map(({ id }) => id)

export const seriesSuite = ({ embedded, single }: Driver): void => {
  const layer = () => Layer.provideMerge(UsageSql.layer, ledgerOn(single()))

  describe("a usage series", () => {
    it.effect("adds up what the calls cost: by hour or day, by key, operation and model, and the window before", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const other = (yield* accounts.createKey(account, { label: "batch" })).id
        const foreign = yield* funded
        const usage = yield* Usage
        const calls = Array.from({ length: 90 }, (_, i): Call => ({
          at: origin + i * 2.3 * hour + (i % 3) * 1_000,
          key: i % 4 === 0 ? other : key,
          operation: ["rerank", "chat.completions", "images"][i % 3]!,
          model: [undefined, "m-1", "m-2"][(i >> 1) % 3],
          micros: i % 7 === 0 ? undefined : i
        }))
        for (const call of calls) {
          yield* make(account, call)
          if (call.at % 5 === 0) yield* make(foreign.account, { ...call, key: foreign.key })
        }
        for (const [width, from, to] of [
          ["1h", origin, origin + 40 * hour],
          ["1h", origin + 30 * hour, origin + 31 * day],
          ["1d", origin + 3 * day, origin + 5 * day],
          ["1d", origin - 300 * day, origin + 66 * day],
          [undefined, origin + 50 * hour, origin + 90 * hour],
          [undefined, origin + 50 * hour, origin + 120 * hour]
        ] as const) {
          for (const owner of [{ account }, { account, key: other }]) {
            const found = yield* usage.series(owner, {
              start_time: seconds(from),
              end_time: seconds(to),
              width
            })
            const shown = width ?? (to - from <= 2 * day ? "1h" : "1d")
            const span = shown === "1h" ? hour : day
            const start = Math.floor(from / span) * span
            const end = Math.ceil(to / span) * span
            const mine = calls.filter((call) => owner.key === undefined || call.key === owner.key)
            const within = (start: number, end: number) => mine.filter(({ at }) => at >= start && at < end)
            expect(found).toMatchObject({
              scope: owner.key === undefined ? "account" : "key",
              start_time: seconds(start),
              end_time: seconds(end),
              bucket_width: shown,
              totals: sum(within(start, end)),
              before: sum(within(start - (end - start), start)),
              buckets: Array.from({ length: (end - start) / span }, (_, i) => ({
                start_time: seconds(start + i * span),
                end_time: seconds(start + (i + 1) * span),
                ...sum(within(start + i * span, start + (i + 1) * span))
              })),
              by_key: by(within(start, end), (call) => call.key),
              by_operation: by(within(start, end), ({ operation }) => operation),
              by_model: by(within(start, end), ({ model }) => model ?? "")
            })
          }
        }
        const whole = yield* usage.series(
          { account },
          { start_time: seconds(origin), end_time: seconds(origin + 9 * day) }
        )
        expect(whole.by_key.map(({ id, label }) => [id, label])).toEqual([
          [key, ""],
          [other, "batch"]
        ])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("ends now by default, is empty for an unused key, and refuses a window that is too long", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const usage = yield* Usage
        yield* make(account, { at: origin, key, operation: "rerank", model: undefined, micros: 5 })
        const today = yield* usage.series({ account }, { start_time: seconds(origin) })
        expect(today).toMatchObject({ totals: { requests: 1 }, buckets: [{ requests: 1 }] })
        const none = yield* usage.series({ account, key: "unused" }, { start_time: seconds(origin) })
        expect(none).toMatchObject({ totals: { requests: 0 }, by_key: [], by_operation: [], by_model: [] })
        for (const query of [
          { start_time: seconds(origin - 31 * day), end_time: seconds(origin) + 1, width: "1h" },
          { start_time: seconds(origin - 366 * day), end_time: seconds(origin) + 1, width: "1d" },
          { start_time: seconds(origin), end_time: seconds(origin) },
          { start_time: origin },
          { start_time: 0 }
        ] as const) {
          expect((yield* Effect.flip(usage.series({ account }, query))).refusal.code).toBe("invalid_request")
        }
        const longest = yield* usage.series(
          { account },
          { start_time: seconds(origin - 31 * day), end_time: seconds(origin), width: "1h" }
        )
        expect(longest.buckets).toHaveLength(31 * 24 + 1)
      }).pipe(Effect.provide(layer()))
    )

    it.effect("shows the 200 groups with the highest charge, and the others as one", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const usage = yield* Usage
        const call = (_: unknown, i: number) =>
          make(account, { at: origin, key, operation: `op${i}`, model: undefined, micros: i + 1 })
        yield* Effect.all(Array.from({ length: 203 }, call), { concurrency: "unbounded", discard: true })
        const found = yield* usage.series({ account }, { start_time: seconds(origin) })
        expect(found.by_operation).toHaveLength(201)
        expect(ids(found.by_operation).slice(0, 2)).toEqual(["op202", "op201"])
        expect(found.by_operation.at(-1)).toMatchObject({
          id: "other",
          label: "other",
          totals: { requests: 3, charged_micros_usd: 6 }
        })
        expect(found.by_key).toMatchObject([{ id: key, totals: { requests: 203 } }])
      }).pipe(Effect.provide(layer()))
    )

    if (embedded) {
      it.effect("reads totals only, each by its index", () =>
        Effect.gen(function* () {
          const { account, key } = yield* funded
          const sql = yield* SqlClient
          yield* make(account, { at: origin, key, operation: "rerank", model: "m", micros: 5 })
          const statements: Array<string> = []
          const unsafe: typeof sql.unsafe = (text, values = []) => {
            statements.push(text)
            return sql.unsafe(text, values)
          }
          const watched = new Proxy(sql, {
            get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name))
          })
          const usage = yield* Usage.pipe(
            Effect.provide(Layer.fresh(UsageSql.layer).pipe(Layer.provide(Layer.succeed(SqlClient, watched))))
          )
          for (const owner of [{ account }, { account, key }]) {
            statements.length = 0
            yield* usage.series(owner, {
              start_time: seconds(origin - 9 * day),
              end_time: seconds(origin),
              width: "1h"
            })
            const plan = yield* sql.unsafe<{ readonly detail: string }>(
              `EXPLAIN QUERY PLAN ${statements[0]}`,
              Array.from({ length: statements[0]!.split("?").length - 1 }, () => null)
            )
            const tables = plan.map(({ detail }) => detail).filter((detail) => /sums|calls/.test(detail))
            expect(tables.length).toBeGreaterThan(5)
            for (const detail of tables) {
              expect(detail).toMatch(
                /^SEARCH (account_sums|usage_sums|operation_sums) USING .*\(account=\?( AND key=\?)? AND span=\? AND start>\? AND start<\?\)$/
              )
              if (detail.includes("operation_sums")) expect(detail).toContain("AND key=?")
            }
          }
        }).pipe(Effect.provide(layer()))
      )
    }
  })
}
