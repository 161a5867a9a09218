import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Grants, Ledger } from "@tollgate/gateway"
import { PostgresClient } from "@tollgate/server/postgres"
import { differences, funded, ledgerOn, reserve, settle } from "@tollgate/testing/ledger/ledgerOn"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const client = { id: "https://agent.example/client", name: "An agent" }

/** Two gateways on one PostgreSQL store. */
const gateways = Effect.gen(function* () {
  const address = yield* migratedDatabase
  const one = Layer.fresh(
    Grants.layer.pipe(
      Layer.provide(SecureRandom.layerWebCrypto),
      Layer.provideMerge(ledgerOn(PostgresClient.layer({ address })))
    )
  )
  return [yield* Layer.build(one), yield* Layer.build(one)] as const
})

describe.runIf(hasPostgres)("on several gateways, a grant", () => {
  it.live("spends no more in a day than was given, however many calls race and whoever changes it", () =>
    Effect.gen(function* () {
      const both = yield* gateways
      yield* Effect.gen(function* () {
        const { account } = yield* funded
        const grants = yield* Grants
        const given = { account, client, scopes: ["use"] as const, limit: micro(1_000n), dayLimit: micro(10n) }
        const { id } = yield* grants.give(given)
        /** A hundred calls at once, half of them at each gateway, beside a change at the second. */
        const race = (change: Effect.Effect<unknown, unknown> = Effect.void) =>
          Effect.map(
            Effect.all(
              [
                ...Array.from({ length: 100 }, (_, i) =>
                  Effect.provideService(reserve(account, id, 1), Ledger, Context.get(both[i % 2 === 0 ? 0 : 1], Ledger))
                ),
                Effect.as(change, "changed")
              ],
              { concurrency: "unbounded" }
            ),
            (results) => results.flatMap((result) => (typeof result === "string" ? [] : [result]))
          )
        const first = yield* race()
        expect(first).toHaveLength(10)
        // Raised while calls run: never more than the new limit.
        const other = Context.get(both[1], Grants)
        const more = yield* race(other.change(id, { dayLimit: micro(15n) }))
        expect(more.length).toBeLessThanOrEqual(5)
        const rest = yield* race()
        expect(more.length + rest.length).toBe(5)
        for (const reservation of [...first, ...more, ...rest]) yield* settle(reservation, 1)
        expect(yield* grants.list(account)).toMatchObject([{ spent: 15n, spentToday: 15n, dayLimit: 15n }])
        expect(yield* reserve(account, id, 1)).toBe("quota_exceeded")
        // Lowered: it holds at once, at both.
        yield* grants.change(id, { dayLimit: null })
        yield* other.change(id, { limit: micro(15n) })
        expect(yield* race()).toEqual([])
        expect(yield* reserve(account, id, 1)).toBe("over_budget")
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provideContext(both[0]))
    }).pipe(Effect.scoped)
  )

  it.live("is one if both give it at once", () =>
    Effect.gen(function* () {
      const both = yield* gateways
      yield* Effect.gen(function* () {
        const { account } = yield* funded
        const given = yield* Effect.all(
          Array.from({ length: 20 }, (_, i) =>
            Context.get(both[i % 2 === 0 ? 0 : 1], Grants).give({ account, client, scopes: ["use"], limit: micro(1n) })
          ),
          { concurrency: "unbounded" }
        )
        expect(new Set(given.map(({ id }) => id)).size).toBe(1)
      }).pipe(Effect.provideContext(both[0]))
    }).pipe(Effect.scoped)
  )
})
