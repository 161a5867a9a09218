import { describe, expect, it } from "@effect/vitest"
import type { LoggedCallsQuery } from "@tollgate/contract/account/LoggedCall"
import type { AllCallsQuery } from "@tollgate/contract/admin/Call"
import { nano } from "@tollgate/contract/Money"
import { CallLog, CallLogSql, Ledger } from "@tollgate/gateway"
import type { Reservation } from "@tollgate/ledger/ledger/Ledger"
import { recordedGaps } from "@tollgate/ledger/usage/recordedGaps"
import * as Rows from "@tollgate/ledger/store/rows"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { costing, exchange, funded, ledgerOn, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"

type Owner = Parameters<CallLog["Service"]["calls"]>[0]

const columns = ["id", "account", "key", "operation", "state", "reserved", "created_at", "owner", "ended_at", "status"]

/** Writes settled calls, a thousand in each millisecond. */
const insertSettled = (account: string, from: number, to: number) =>
  SqlClient.use((sql) =>
    sql.withTransaction(
      Rows.make(sql).insert(
        "calls",
        columns,
        Array.from({ length: to - from }, (_, n) => {
          const i = from + n
          const at = 1_000 + Math.floor(i / 1_000)
          return [`old_${i}`, account, "k", i === 0 ? "rare" : "rerank", "settled", 0, at, "test", at, 200]
        })
      )
    )
  )

/** Follows `next` to the end. `between` runs after each page. */
const readAll = Effect.fnUntraced(function* <E, R>(
  owner: Owner,
  query: LoggedCallsQuery,
  between: Effect.Effect<void, E, R>
) {
  const log = yield* CallLog
  const pages: Array<ReadonlyArray<string>> = []
  let before: string | undefined
  do {
    const { calls, next } = yield* log.calls(owner, { ...query, ...(before === undefined ? {} : { before }) })
    pages.push(calls.map(({ id }) => id))
    before = next ?? undefined
    yield* between
  } while (before !== undefined)
  return pages
})

const ids = (owner: Owner, query: LoggedCallsQuery = {}) =>
  Effect.map(readAll(owner, query, Effect.void), (pages) => pages.flat())

export const callLogSuite = ({ single }: Driver): void => {
  const layer = () => Layer.provideMerge(CallLogSql.layer, ledgerOn(single()))

  const start = Effect.fnUntraced(function* (account: string, key: string, model?: string, claim?: string) {
    const result = yield* Ledger.use((ledger) =>
      ledger.reserve(
        exchange(account, key, 10, undefined, 20, model),
        claim === undefined ? undefined : { id: claim, payload: "p", replay: true }
      )
    )
    return result.kind === "reserved" ? result.reservation : yield* Effect.die(result.kind)
  })

  describe("the call log", () => {
    it.effect("shows calls that have not ended before those that have, the newest first, and what they cost", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const named = (yield* accounts.createKey(account, { label: "batch" })).id
        const ledger = yield* Ledger
        const log = yield* CallLog
        yield* TestClock.setTime(1_000)
        const open = yield* start(account, key)
        const settled = yield* start(account, named, "m-1")
        const lost = yield* start(account, key)
        yield* TestClock.adjust(5)
        yield* ledger.release(yield* start(account, key), 404, false, { provider: "one" })
        yield* TestClock.adjust(5)
        yield* settle(settled, 7)
        yield* TestClock.adjust(5)
        yield* ledger.markUnknown(lost)
        yield* TestClock.adjust(5)
        const { calls, next } = yield* log.calls({ account }, {})
        expect(next).toBeNull()
        expect(calls.map(({ state }) => state)).toEqual(["open", "unknown", "settled", "released"])
        expect(calls[0]).toMatchObject({ id: open.call, ended_at: null, status: null, upstream: null })
        expect(calls[2]).toEqual({
          id: settled.call,
          key: named,
          key_label: "batch",
          operation: "rerank",
          model: "m-1",
          state: "settled",
          failed: false,
          status: 200,
          cost_state: "settled",
          value_micros_usd: 7,
          charged_micros_usd: 7,
          charged_nano_usd: "7000",
          refunded_micros_usd: 0,
          kept: false,
          input_tokens: 0,
          output_tokens: 0,
          upstream: null,
          error: null,
          created_at: "1970-01-01T00:00:01.000Z",
          ended_at: "1970-01-01T00:00:01.010Z",
          tags: {}
        })
        expect(calls[3]).toMatchObject({ failed: true, status: 404, upstream: "one", model: null })
      }).pipe(Effect.provide(layer()))
    )

    it.effect("tells all of a call to its owner, and nothing of it to anybody else", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const other = (yield* accounts.createKey(account, {})).id
        const foreign = yield* funded
        const ledger = yield* Ledger
        const log = yield* CallLog
        const call = yield* start(account, key, "m-1", "claim")
        const tried = [
          { upstream: "one", outcome: "not connected" },
          { upstream: "two", outcome: "answered" }
        ]
        yield* ledger.settle(call, costing(25, '{"kind":"request"}'), { provider: "two", tried })
        for (const owner of [{ account }, { account, key }]) {
          expect(yield* log.story(owner, call.call)).toMatchObject({
            id: call.call,
            state: "settled",
            upstream: "two",
            tried,
            reserved_micros_usd: 10,
            cap_micros_usd: 20,
            charged_micros_usd: 20,
            charged_nano_usd: "20000",
            refunded_micros_usd: 0,
            refund: null,
            loss_micros_usd: 5,
            loss_nano_usd: "5000",
            evidence: { kind: "request" },
            idempotency: { until: "1970-01-02T00:00:00.000Z", answer_stored: true },
            task: null
          })
        }
        for (const [owner, id] of [
          [{ account, key: other }, call.call],
          [{ account: foreign.account }, call.call],
          [{ account: foreign.account, key }, call.call],
          [{ account }, "nothing"],
          [{ account }, "' OR 1=1 --"],
          [{ account }, "x".repeat(100_000)],
          [{ account }, "\u0000"],
          [{ account }, ""]
        ] as const) {
          expect((yield* Effect.flip(log.story(owner, id))).refusal.code).toBe("route_not_found")
        }
        expect(yield* ids({ account, key: other })).toEqual([])
        expect(yield* ids({ account, key: other }, { key })).toEqual([])
        expect(yield* ids({ account: foreign.account }, { key })).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("says why calls failed: the code and the start of the message, whatever the upstream sent", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const log = yield* CallLog
        const error = { code: "over_cap", message: "It can cost more." }
        const hostile = { code: "a b\u0000", message: `\u0000\n ${"\u{1f980}".repeat(400)}\ud800` }
        const refused = yield* start(account, key)
        yield* ledger.refuse(refused, { error })
        const released = yield* start(account, key)
        yield* ledger.release(released, 400, false, { provider: "one", error: hostile })
        const lost = yield* start(account, key)
        yield* ledger.markUnknown(lost, { error })
        const found = yield* start(account, key)
        yield* ledger.markUnknown(found, { error })
        yield* settle(found, 3)
        const cut = yield* start(account, key)
        yield* ledger.settle(cut, costing(3, '{"kind":"request"}'), { provider: "one", error })
        const errorOf = (call: Reservation) => Effect.map(log.story({ account }, call.call), ({ error }) => error)
        expect(yield* errorOf(refused)).toEqual(error)
        expect(yield* errorOf(released)).toEqual({ code: null, message: "\u{1f980}".repeat(250) })
        expect(yield* errorOf(lost)).toEqual(error)
        expect(yield* errorOf(found)).toBeNull()
        expect(yield* errorOf(cut)).toEqual(error)
      }).pipe(Effect.provide(layer()))
    )

    it.effect("knows the task of a call, and an upstream that answered at once", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const log = yield* CallLog
        const call = yield* start(account, key)
        const begun = {
          id: "task_1",
          owner: key,
          provider: "films",
          upstreamId: "u",
          price: nano(1n),
          multiplier: 1_000_000n,
          status: "RUNNING" as const,
          body: "{}"
        }
        const answer = { status: 200, contentType: undefined, bytes: new Uint8Array() }
        yield* ledger.begin(call, begun, answer)
        const story = {
          upstream: "films",
          tried: [{ upstream: "films", outcome: "answered" }],
          task: { id: "task_1", status: "RUNNING" }
        }
        expect(yield* log.story({ account }, call.call)).toMatchObject({ ...story, state: "running" })
        yield* TestClock.adjust(1)
        expect(yield* log.calls({ account }, {})).toMatchObject({ calls: [{ state: "running" }], next: null })
        const task = { id: "task_1", status: "SUCCEEDED" as const, body: "{}", expiresAt: 1e15 }
        yield* ledger.finish(call, { kind: "settle", settled: costing(3, "{}"), task })
        expect(yield* log.story({ account }, call.call)).toMatchObject({
          ...story,
          state: "settled",
          task: { id: "task_1", status: "SUCCEEDED" }
        })
      }).pipe(Effect.provide(layer()))
    )

    it.effect("what calls used without a price is listed by name for 30 days, and told of each call", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const log = yield* CallLog
        const rows = Rows.make(yield* SqlClient)
        const used = Effect.fnUntraced(function* (gaps?: ReadonlyArray<string>) {
          const call = yield* reserved(account, key, 10)
          const by = { provider: undefined, tried: undefined }
          yield* ledger.settle(call, { ...costing(3, '{"kind":"request"}'), ...(gaps && { gaps }) }, by)
          yield* TestClock.adjust("1 minute")
          return call.call
        })
        const first = yield* used(["tools.web_search", "tiers.turbo", "tiers.turbo"])
        yield* used()
        const second = yield* used(["tiers.turbo", "tools.web_search"])
        const hostile = yield* used(['\u0000\u001b[31m"\\{}', "\u{1f980}".repeat(500), "\ud800"])
        const names = ["tiers.turbo", "tools.web_search"]
        expect(yield* recordedGaps(rows)).toMatchObject([
          {
            operation: "rerank",
            model: null,
            names,
            calls: 2,
            firstAt: 0,
            lastAt: 120_000,
            charged: 6n,
            example: first > second ? first : second,
            evidence: '{"kind":"request"}'
          },
          { names: ["\u{1f980}".repeat(60), "\ufffd", '\ufffd\ufffd[31m"\\{}'], calls: 1, example: hostile }
        ])
        expect(yield* log.story({ account }, first)).toMatchObject({ gaps: names })
        yield* TestClock.adjust("30 days")
        expect(yield* recordedGaps(rows)).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("no page skips or repeats a call, while calls begin and end, many in the same millisecond", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        for (let seed = 0; seed < 12; seed++) {
          yield* TestClock.adjust(1_000)
          const all: Array<string> = []
          const unended: Array<Reservation> = []
          for (let i = 0; i < 30; i++) {
            const call = yield* reserved(account, key, 1)
            all.push(call.call)
            if ((i * 7 + seed) % 3 === 0) unended.push(call)
            else yield* settle(call, 1)
            if (i % 10 === 9) yield* TestClock.adjust(1)
          }
          const since = (yield* Clock.currentTimeMillis) - 500
          let step = seed
          const meanwhile = Effect.gen(function* () {
            yield* settle(yield* reserved(account, key, 1), 1)
            for (let i = 0; i < 1 + (step % 3); i++) {
              const ending = unended.splice(step % Math.max(1, unended.length), 1)[0]
              if (ending !== undefined) yield* step % 2 === 0 ? settle(ending, 1) : ledger.markUnknown(ending)
            }
            // Some of it happens in the millisecond in which the first page was read.
            if (step++ % 4 === 3) yield* TestClock.adjust(1)
          })
          const found = (yield* readAll({ account }, { limit: 2 + (seed % 5), since }, meanwhile)).flat()
          expect(new Set(found).size).toBe(found.length)
          expect(found.filter((id) => all.includes(id)).toSorted()).toEqual(all.toSorted())
          for (const call of unended) yield* ledger.release(call, 500)
        }
      }).pipe(Effect.provide(layer()))
    )

    it.effect("filters by key, operation, model, state, cost state, status and time", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const other = (yield* accounts.createKey(account, {})).id
        const ledger = yield* Ledger
        const one = yield* start(account, key, "m-1")
        yield* settle(one, 3)
        yield* TestClock.adjust(1_000)
        const two = yield* start(account, other)
        yield* ledger.release(two, 429)
        const three = yield* start(account, other, "m-1")
        yield* TestClock.adjust(1)
        const expected: ReadonlyArray<readonly [LoggedCallsQuery, ReadonlyArray<Reservation>]> = [
          [{}, [three, two, one]],
          [{ key }, [one]],
          [{ key: other }, [three, two]],
          [{ operation: "rerank" }, [three, two, one]],
          [{ operation: "chat" }, []],
          [{ model: "m-1" }, [three, one]],
          [{ model: "" }, [two]],
          [{ state: "open" }, [three]],
          [{ state: "settled", key }, [one]],
          [{ cost_state: "settled" }, [one]],
          [{ cost_state: "estimated" }, []],
          [{ status: "429" }, [two]],
          [{ status: "4xx" }, [two]],
          [{ status: "2xx" }, [one]],
          [{ status: "5xx" }, []],
          [{ failed: "true" }, [two]],
          [{ since: 1 }, [three, two]],
          [{ since: 1_000 }, [three, two]],
          [{ since: 1_001 }, []]
        ]
        for (const [query, calls] of expected) {
          expect(yield* ids({ account }, query), JSON.stringify(query)).toEqual(calls.map(({ call }) => call))
        }
      }).pipe(Effect.provide(layer()))
    )

    it.effect("finds calls by when they began, by request id, and by text in operation, model, key and error", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const foreign = yield* funded
        const named = (yield* accounts.createKey(account, { label: "Nightly 100%_\\" })).id
        const ledger = yield* Ledger
        yield* TestClock.setTime(1_000)
        const long = yield* start(account, key, "M-Large")
        yield* TestClock.setTime(2_000)
        const failed = yield* start(account, named)
        yield* ledger.release(failed, 400, false, { error: { code: "bad_thing", message: "The sky is too blue." } })
        yield* TestClock.setTime(3_000)
        const open = yield* start(account, key)
        yield* TestClock.setTime(4_000)
        yield* settle(long, 1)
        const expected: ReadonlyArray<readonly [LoggedCallsQuery, ReadonlyArray<Reservation>]> = [
          [{ from: 2_000 }, [open, failed]],
          [{ to: 2_000 }, [long]],
          [{ to: 2_001 }, [long, failed]],
          [{ from: 2_000, to: 3_000 }, [failed]],
          [{ from: 3_000, to: 2_000 }, []],
          [{ q: failed.call }, [failed]],
          [{ q: failed.call, from: 3_000 }, []],
          [{ q: failed.call.slice(1) }, [failed]],
          [{ q: " m-LARGE " }, [long]],
          [{ q: "rerank" }, [open, long, failed]],
          [{ q: "BLUE" }, [failed]],
          [{ q: "bad_thing" }, [failed]],
          [{ q: "bad-thing" }, []],
          [{ q: "nightly 100%_\\" }, [failed]],
          [{ q: "%" }, [failed]],
          [{ q: named }, [failed]],
          [{ q: "' OR 1=1 --" }, []],
          [{ q: "blue", status: "4xx" }, [failed]],
          [{ q: "blue", status: "5xx" }, []]
        ]
        for (const [query, calls] of expected) {
          expect(yield* ids({ account }, query), JSON.stringify(query)).toEqual(calls.map(({ call }) => call))
        }
        expect(yield* ids({ account: foreign.account }, { q: failed.call })).toEqual([])
        expect(yield* ids({ account, key }, { q: failed.call })).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("shows operators the calls of all accounts, the newest first, with the same filters", () =>
      Effect.gen(function* () {
        const one = yield* funded
        const other = yield* funded
        const ledger = yield* Ledger
        const log = yield* CallLog
        yield* TestClock.setTime(1_000)
        const first = yield* start(one.account, one.key, "m-1")
        yield* settle(first, 3)
        yield* TestClock.adjust(1_000)
        const second = yield* start(other.account, other.key)
        yield* ledger.release(second, 429)
        yield* TestClock.adjust(1_000)
        const third = yield* start(one.account, one.key)
        const expected: ReadonlyArray<readonly [AllCallsQuery, ReadonlyArray<Reservation>]> = [
          [{}, [third, second, first]],
          [{ account: one.account }, [third, first]],
          [{ account: other.account }, [second]],
          [{ account: "none" }, []],
          [{ key: other.key }, [second]],
          [{ account: one.account, key: other.key }, []],
          [{ model: "m-1" }, [first]],
          [{ state: "open" }, [third]],
          [{ status: "4xx" }, [second]],
          [{ since: 2_000 }, [third, second]],
          [{ from: 1_000, to: 2_000 }, [first]],
          [{ q: second.call }, [second]],
          [{ q: "M-1" }, [first]]
        ]
        for (const [query, calls] of expected) {
          const found = (yield* log.allCalls(query)).calls
          expect(
            found.map(({ account, id }) => [account, id]),
            JSON.stringify(query)
          ).toEqual(calls.map(({ account, call }) => [account, call]))
        }
        const page = yield* log.allCalls({ limit: 2 })
        expect(page.calls[0]).toMatchObject({ account_label: "test", state: "open" })
        const rest = yield* log.allCalls({ limit: 2, before: page.next ?? "" })
        expect(rest).toMatchObject({ calls: [{ id: first.call }], next: null })
      }).pipe(Effect.provide(layer()))
    )

    it.effect("refuses a query that makes no sense", () =>
      Effect.gen(function* () {
        const { account } = yield* funded
        const log = yield* CallLog
        for (const [param, value] of [
          ["before", ""],
          ["before", "e1.2"],
          ["before", "e99999999999999999.1.a"],
          ["before", `e1.1.${"x".repeat(100_000)}`],
          ["before", "e1.1.' OR 1=1"],
          ["operation", "x".repeat(201)],
          ["model", "a\u0000b"],
          ["q", "a\u0000b"],
          ["q", "x".repeat(201)]
        ] as const) {
          const { refusal } = yield* Effect.flip(log.calls({ account }, { [param]: value }))
          expect(refusal, String(value).slice(0, 30)).toMatchObject({ code: "invalid_request", param })
        }
        // Odd, but harmless.
        expect(yield* log.calls({ account }, { operation: "' OR 1=1 --", before: "u0.0." })).toMatchObject({
          calls: []
        })
      }).pipe(Effect.provide(layer()))
    )

    it.effect("looks at 5,000 calls for a page, so that a filter that matches nothing does not read them all", () =>
      Effect.gen(function* () {
        const { account } = yield* funded
        const log = yield* CallLog
        yield* insertSettled(account, 0, 12_000)
        yield* TestClock.setTime(1_000_000)
        const none = yield* readAll({ account }, { operation: "none" }, Effect.void)
        expect(none.map((page) => page.length)).toEqual([0, 0, 0])
        const rare = yield* readAll({ account }, { operation: "rare" }, Effect.void)
        expect(rare).toEqual([[], [], ["old_0"]])
        const unfiltered = yield* readAll({ account }, { limit: 1_000 }, Effect.void)
        expect(unfiltered.slice(0, 12).map((page) => page.length)).toEqual(Array.from({ length: 12 }, () => 1_000))
        expect(new Set(unfiltered.flat()).size).toBe(12_000)
        // Neither does one over all accounts.
        const all = yield* log.allCalls({ operation: "rare" })
        expect(all).toMatchObject({ calls: [], looked_back_to: "1970-01-01T00:00:01.007Z" })
        // A range of long ago is not looked for among all calls since.
        const range = { from: 1_000, to: 1_001, operation: "rare" }
        expect(yield* readAll({ account }, range, Effect.void)).toEqual([[], ["old_0"]])
        expect(yield* log.calls({ account }, range)).toMatchObject({ looked_back_to: "1970-01-01T00:00:01.001Z" })
        // Where a page ends for that reason is no call of the reader's.
        const { next } = yield* log.calls({ account, key: "other" }, {})
        expect(next).toMatch(/^e\d+\.\d+\.$/)
        // Calls that ended are looked for among those that had not, if the reader began long ago.
        const late = yield* Effect.flip(log.calls({ account }, { before: "u0.99999999.a" }))
        expect(late.refusal).toMatchObject({ code: "invalid_request", param: "before" })
      }).pipe(Effect.provide(layer()))
    )
  })
}
