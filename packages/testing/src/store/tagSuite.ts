import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { describe, expect, it } from "@effect/vitest"
import { fromMicros, micro } from "@tollgate/contract/Money"
import type { Tags } from "@tollgate/contract/Tags"
import { CallLog, CallLogSql, Ledger, Usage, UsageSql } from "@tollgate/gateway"
import type { Reservation } from "@tollgate/ledger/ledger/Ledger"
import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import * as Rows from "@tollgate/ledger/store/rows"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { costing, differences, exchange, funded, ledgerOn, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"

const hour = 3_600_000
const day = 86_400_000
/** A day at 03:30. */
const origin = 1_000 * day + 3.5 * hour
const seconds = (millis: number) => millis / 1000

const start = Effect.fnUntraced(function* (account: string, key: string, tags: Tags | undefined, claim?: string) {
  const idempotency = claim === undefined ? undefined : { id: claim, payload: "p", replay: true }
  const result = yield* Ledger.use((ledger) => ledger.reserve({ ...exchange(account, key, 10), tags }, idempotency))
  return result.kind === "reserved" ? result.reservation : undefined
})

const started = Effect.fnUntraced(function* (account: string, key: string, tags: Tags | undefined) {
  return (yield* start(account, key, tags)) ?? (yield* Effect.die("not reserved"))
})

const task = (id: string) => ({ id, status: "SUCCEEDED", body: "{}", expiresAt: origin + 9 * day }) as const

const begin = (reservation: Reservation, id: string) =>
  Ledger.use((ledger) =>
    ledger.begin(
      reservation,
      {
        id,
        owner: reservation.key,
        provider: "p",
        upstreamId: `u of ${id}`,
        price: fromMicros(micro(1n)),
        multiplier: 1_000_000n,
        status: "RUNNING",
        body: "{}"
      },
      costing(0).answer
    )
  )

const ends = ["settled", "released", "unknown", "settled after unknown", "released after unknown", "task"] as const

/** Ends a call, some time after it was reserved. Returns what it costs. */
const end = Effect.fnUntraced(function* (reservation: Reservation, how: (typeof ends)[number], micros: number) {
  const ledger = yield* Ledger
  yield* TestClock.adjust("10 minutes")
  switch (how) {
    case "settled":
      yield* settle(reservation, micros)
      return micros
    case "released":
      yield* ledger.release(reservation, 500)
      return 0
    case "unknown":
      yield* ledger.markUnknown(reservation)
      return 0
    case "settled after unknown":
      yield* ledger.markUnknown(reservation)
      yield* TestClock.adjust("2 hours")
      yield* settle(reservation, micros)
      return micros
    case "released after unknown":
      yield* ledger.markUnknown(reservation)
      yield* ledger.release(reservation, 400)
      return 0
    case "task":
      yield* begin(reservation, `task of ${reservation.call}`)
      yield* TestClock.adjust("1 hour")
      // The answer that started the task is the one that is stored.
      yield* ledger.finish(
        { ...reservation, keepAnswer: false },
        {
          kind: "settle",
          settled: costing(micros),
          task: task(`task of ${reservation.call}`)
        }
      )
      return micros
  }
})

const history = fc.array(
  fc.record({
    tags: fc.option(
      fc.dictionary(fc.constantFrom("team", "job", "a.b-c_1"), fc.constantFrom("x", "y", `"'`), { minKeys: 1 }),
      { nil: undefined }
    ),
    how: fc.constantFrom(...ends),
    micros: fc.nat(9),
    byOther: fc.boolean(),
    repeated: fc.boolean()
  }),
  { minLength: 5, maxLength: 12 }
)

type History = typeof history extends fc.Arbitrary<infer A> ? A : never

interface Counted {
  readonly tags: Tags
  readonly key: string
  readonly micros: number
}

const sum = (calls: ReadonlyArray<Counted>) => ({
  requests: calls.length,
  charged_micros_usd: calls.reduce((total, { micros }) => total + micros, 0)
})

const groupsBy = (calls: ReadonlyArray<Counted>, idOf: (call: Counted) => string | undefined) =>
  Object.fromEntries(
    [...new Set(calls.flatMap((call) => idOf(call) ?? []))].map((id) => [
      id,
      sum(calls.filter((call) => idOf(call) === id))
    ])
  )

const shown = (groups: ReadonlyArray<{ readonly id: string; readonly totals: object }>) =>
  Object.fromEntries(
    groups.map(({ id, totals }) => {
      const { charged_micros_usd, requests } = totals as ReturnType<typeof sum>
      return [id, { requests, charged_micros_usd }]
    })
  )

const samplesFor = (histories = 75): number => countOf("TAG_HISTORIES", 1, Math.ceil(histories / 25))

export const tagSuite = ({ histories, single }: Driver): void => {
  const layer = () => Layer.mergeAll(UsageSql.layer, CallLogSql.layer).pipe(Layer.provideMerge(ledgerOn(single())))

  describe("tags", () => {
    it.effect("the sums of a tag are those of the calls that have it, however the calls end", () =>
      Effect.gen(function* () {
        const usage = yield* Usage
        const run = Effect.fnUntraced(function* (calls: History, from: number) {
          yield* TestClock.setTime(from)
          const { account, accounts, key } = yield* funded
          const other = (yield* accounts.createKey(account, {})).id
          const counted: Array<Counted> = []
          for (const [i, { byOther, how, micros, repeated, tags }] of calls.entries()) {
            const by = byOther ? other : key
            const claim = `${account} ${i}`
            const reservation = yield* start(account, by, tags, claim)
            const cost = yield* end(reservation!, how, micros)
            counted.push({ tags: tags ?? {}, key: by, micros: cost })
            // A repeat has tags of its own and costs nothing. What is unknown is refused, and what is released runs again.
            if (repeated && (how === "settled" || how === "settled after unknown" || how === "task")) {
              expect(yield* start(account, by, { team: "repeat" }, claim)).toBeUndefined()
              counted.push({ tags: { team: "repeat" }, key: by, micros: 0 })
            }
          }
          const window = { start_time: seconds(from - day), end_time: seconds(from + 5 * day) }
          const names = [...new Set(counted.flatMap(({ tags }) => Object.keys(tags)))]
          const all = yield* usage.byTag({ account }, window)
          expect(all).toMatchObject({ scope: "account", tag: null, totals: null, buckets: [] })
          expect(shown(all.groups)).toEqual(
            Object.fromEntries(names.map((name) => [name, sum(counted.filter(({ tags }) => name in tags))]))
          )
          for (const [i, name] of names.entries()) {
            const width = i % 2 === 0 ? "1h" : "1d"
            const having = counted.filter(({ tags }) => name in tags)
            const found = yield* usage.byTag({ account }, { ...window, width, tag: name })
            expect(found).toMatchObject({ tag: name, totals: sum(having) })
            expect(shown(found.groups)).toEqual(groupsBy(having, ({ tags }) => tags[name]))
            expect(found.buckets.reduce((total, { charged_micros_usd }) => total + charged_micros_usd, 0)).toBe(
              sum(having).charged_micros_usd
            )
            const mine = having.filter((call) => call.key === other)
            const own = yield* usage.byTag({ account, key: other }, { ...window, width, tag: name })
            expect(own).toMatchObject({ scope: "key", totals: sum(mine) })
            const x = having.filter(({ tags }) => tags[name] === "x")
            const one = yield* usage.byTag({ account }, { ...window, width, tag: `${name}=x` })
            expect(one).toMatchObject({ tag: `${name}=x`, totals: sum(x) })
            expect(shown(one.groups)).toEqual(groupsBy(x, ({ key }) => key))
          }
        })
        const samples = [[], ...fc.sample(history, samplesFor(histories))]
        for (const [i, calls] of samples.entries()) yield* run(calls, origin + i * 7 * day)
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("are recorded with the call, and calls are found by them", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const log = yield* CallLog
        yield* TestClock.setTime(origin)
        const one = yield* started(account, key, { team: "search", "a.b": "x y'\"" })
        const two = yield* started(account, key, { team: "ads" })
        const none = yield* started(account, key, undefined)
        for (const call of [one, none]) yield* settle(call, 1)
        const ids = (tag: string) =>
          Effect.map(log.calls({ account }, { tag }), ({ calls }) => calls.map(({ id }) => id).toSorted())
        expect(yield* ids("team=search")).toEqual([one.call])
        expect(yield* ids("team")).toEqual([one.call, two.call].toSorted())
        expect(yield* ids("a.b=x y'\"")).toEqual([one.call])
        expect(yield* ids("team=sea")).toEqual([])
        expect(yield* ids("a")).toEqual([])
        for (const odd of ["", "=", "team=", "Team", "te'am", 'te"am', "team=a,b", "team=a=b"]) {
          expect((yield* Effect.flip(log.calls({ account }, { tag: odd }))).refusal.code).toBe("invalid_request")
        }
        const { tags } = yield* log.story({ account }, one.call)
        expect(tags).toEqual({ team: "search", "a.b": "x y'\"" })
        expect((yield* log.story({ account }, none.call)).tags).toEqual({})
      }).pipe(Effect.provide(layer()))
    )

    it.effect("of an account are counted by name up to 256 values and 32 names a day, and all are kept", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const usage = yield* Usage
        const log = yield* CallLog
        yield* TestClock.setTime(origin)
        const use = Effect.fnUntraced(function* (tags: Tags) {
          yield* settle(yield* started(account, key, tags), 1)
        })
        yield* Effect.forEach(Array.from({ length: 260 }), (_, i) => use({ user: `u${i}` }), { concurrency: 64 })
        yield* use({ user: "u3" })
        yield* use({ user: "late" })
        const window = { start_time: seconds(origin), end_time: seconds(origin + hour) }
        const found = yield* usage.byTag({ account }, { ...window, tag: "user" })
        expect(found.totals).toMatchObject({ requests: 262, charged_micros_usd: 262 })
        expect(found.groups[0]).toMatchObject({ id: "", label: "other", totals: { requests: 5 } })
        expect(found.groups[1]).toMatchObject({ id: "u3", totals: { requests: 2 } })
        // The 200 with the highest charge, and the rest as one.
        expect(found.groups).toHaveLength(201)
        expect((yield* log.calls({ account }, { tag: "user=late" })).calls).toMatchObject([{ tags: { user: "late" } }])
        for (let i = 0; i < 33; i++) yield* use({ [`n${i}`]: "v" })
        expect((yield* usage.byTag({ account }, window)).groups).toHaveLength(32)
        expect((yield* log.calls({ account }, { tag: "n32=v" })).calls).toMatchObject([{ tags: { n32: "v" } }])
        expect(yield* differences).toEqual([])
        // Neither another account nor another day has to do with it.
        const foreign = yield* funded
        yield* settle(yield* started(foreign.account, foreign.key, { user: "late" }), 2)
        yield* TestClock.adjust("1 day")
        yield* use({ user: "late" })
        const later = yield* usage.byTag({}, { start_time: seconds(origin), tag: "user=late" })
        expect(later.scope).toBe("gateway")
        expect(shown(later.groups)).toEqual({
          [foreign.account]: { requests: 1, charged_micros_usd: 2 },
          [account]: { requests: 1, charged_micros_usd: 1 }
        })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("an audit finds a wrong sum of a tag, and one that no call explains", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const sql = yield* SqlClient
        yield* TestClock.setTime(origin)
        yield* settle(yield* started(account, key, { team: "search" }), 3)
        expect(yield* differences).toEqual([])
        yield* foldUsage(Rows.make(sql))
        expect(yield* differences).toEqual([])
        yield* sql`UPDATE tag_sums SET charged = charged + 1 WHERE span = 86400000`
        expect(yield* differences).toMatchObject([{ table: "tag_sums", column: "charged", stored: 4n, expected: 3n }])
        yield* sql`UPDATE tag_sums SET charged = charged - 1, value_of_tag = 'ads' WHERE span = 86400000`
        expect((yield* differences).map(({ id }) => id.includes("ads"))).toContain(true)
      }).pipe(Effect.provide(layer()))
    )
  })
}
