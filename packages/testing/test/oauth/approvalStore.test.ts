import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { AccessTokensSql, Accounts, Approvals, Composition, Grants } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import type { Store } from "@tollgate/testing/store/Driver"
import { alsoOnPostgres, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const minute = 60_000
const noon = 12 * 60 * minute

const on = (sql: Store) =>
  Composition.layerStore(Redacted.make(new Uint8Array(32).fill(7)), AccessTokensSql.layer).pipe(Layer.provideMerge(sql))

const stores = [
  { name: "SQLite", store: on(NodeSqliteClient.layer({ filename: ":memory:" })), has: true },
  { name: "PostgreSQL", store: on(onMigratedDatabase()), has: alsoOnPostgres }
]

/** A question that was asked at noon, and the call that it is about. */
const atNoon = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const { id: account } = yield* (yield* Accounts).create("test")
  const client = { id: "client", name: "An agent" }
  const { id: grant } = yield* (yield* Grants).give({ account, client, scopes: ["use"], limit: null })
  const approvals = yield* Approvals
  const request = { grant, digest: "the request", most: micro(5n) }
  const asked = { ...request, account, operation: "rerank", request: "/v1/rerank", likely: micro(1n) }
  const { id } = Option.getOrThrow(yield* approvals.ask(asked))
  return { approvals, asked, id, needing: { ...request, call: "req_1", idempotency: undefined } }
})

describe.each(stores.filter(({ has }) => has))("the machine's clock is changed, on $name", ({ store }) => {
  it.effect("forward: a question or a yes ends, and nothing is made with it", () =>
    Effect.gen(function* () {
      const { approvals, asked, id, needing } = yield* atNoon
      yield* TestClock.setTime(noon + 15 * minute)
      expect(yield* approvals.decide(id, "yes")).toEqual(Option.none())
      expect(yield* approvals.take(needing)).toEqual(Option.none())
      const again = Option.getOrThrow(yield* approvals.ask(asked))
      expect(again.id).not.toBe(id)
      expect(yield* approvals.decide(again.id, "yes")).toEqual(Option.some("yes"))
      yield* TestClock.adjust("15 minutes")
      expect(yield* approvals.take(needing)).toEqual(Option.none())
    }).pipe(Effect.provide(store))
  )

  it.effect("back: a decision stays as it was, and a yes counts once", () =>
    Effect.gen(function* () {
      const { approvals, id, needing } = yield* atNoon
      expect(yield* approvals.decide(id, "yes")).toEqual(Option.some("yes"))
      yield* TestClock.setTime(noon - 24 * 60 * minute)
      expect(yield* approvals.decide(id, "no")).toEqual(Option.some("yes"))
      expect(yield* approvals.take(needing)).toEqual(Option.some({ id, by: "req_1" }))
      expect(yield* approvals.take({ ...needing, call: "req_2" })).toEqual(Option.none())
      yield* TestClock.setTime(noon)
      expect(yield* approvals.take({ ...needing, call: "req_3" })).toEqual(Option.none())
    }).pipe(Effect.provide(store))
  )

  it.effect("a yes is for no other grant, no other request and no higher price", () =>
    Effect.gen(function* () {
      const { approvals, id, needing } = yield* atNoon
      yield* approvals.decide(id, "yes")
      expect(yield* approvals.take({ ...needing, grant: "gr_2" })).toEqual(Option.none())
      expect(yield* approvals.take({ ...needing, digest: "another request" })).toEqual(Option.none())
      expect(yield* approvals.take({ ...needing, most: micro(6n) })).toEqual(Option.none())
      expect(yield* approvals.take(needing)).toEqual(Option.some({ id, by: "req_1" }))
    }).pipe(Effect.provide(store))
  )
})

describe.each(stores.filter(({ has }) => has))(
  "two calls with one idempotency key and one approval, on $name",
  ({ store }) => {
    it.effect("use it for one of them, and the other one does not give it back", () =>
      Effect.gen(function* () {
        const { approvals, id, needing } = yield* atNoon
        yield* approvals.decide(id, "yes")
        const keyed = { ...needing, idempotency: "a key" }
        expect(yield* approvals.take(keyed)).toEqual(Option.some({ id, by: "req_1" }))
        const taken = Option.getOrThrow(yield* approvals.take({ ...keyed, call: "req_2" }))
        expect(taken).toEqual({ id, by: "req_1" })
        // The second one is made. The first one is refused, because its key is in use.
        yield* approvals.made(taken, "req_2")
        yield* approvals.giveBack("req_1")
        yield* approvals.giveBack("req_2")
        expect(yield* approvals.take({ ...needing, call: "req_3" })).toEqual(Option.none())
        expect(yield* approvals.take({ ...keyed, call: "req_4", idempotency: "another" })).toEqual(Option.none())
        expect(yield* approvals.take({ ...keyed, call: "req_5" })).toEqual(Option.some({ id, by: "req_2" }))
      }).pipe(Effect.provide(store))
    )
  }
)
