import { describe, expect, it } from "@effect/vitest"
import { Fleet, Ledger } from "@tollgate/gateway"
import { ledgerInFleet } from "@tollgate/testing/fleet/ledgerInFleet"
import { until } from "@tollgate/testing/fleet/until"
import { differences, exchange, funded, reserve, reserved, settle } from "@tollgate/testing/ledger/ledgerOn"
import { migratedDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"

const quick = { beatMillis: 20, deadMillis: 1_000 }

const gateways = query("SELECT id FROM gateways ORDER BY name")
const states = query("SELECT state, reserved FROM calls ORDER BY reserved")

describe.runIf(hasPostgres)("several gateways on one database", () => {
  it.live("leave each other's open calls alone, and each deletes its row when it stops", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const first = yield* Layer.build(ledgerInFleet(address, "a"))
      const owner = yield* Effect.provideContext(funded, first)
      const call = yield* Effect.provideContext(reserved(owner.account, owner.key, 20), first)
      const scope = yield* Scope.make()
      const second = yield* Layer.buildWithScope(ledgerInFleet(address, "b"), scope)
      const both = [first, second].map((one) => ({ id: Context.get(one, Fleet).owner() }))
      expect(yield* Effect.provideContext(Effect.all([gateways, states]), second)).toEqual([
        both,
        [{ state: "open", reserved: 20 }]
      ])
      yield* Scope.close(scope, Exit.void)
      expect(yield* Effect.provideContext(gateways, first)).toEqual(both.slice(0, 1))
      expect(yield* Effect.provideContext(settle(call, 7), first)).toMatchObject({ state: "settled", micros: 7 })
      expect(yield* Effect.provideContext(differences, first)).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("mark unknown what a dead one left; if it lives after all, it goes on under a new id and can settle", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      // Its heart never beats again, as that of a process that is stopped.
      const silent = yield* Layer.build(ledgerInFleet(address, "silent"))
      const fleet = Context.get(silent, Fleet)
      const gone = fleet.owner()
      const { account, key } = yield* Effect.provideContext(funded, silent)
      const [settles, stays] = yield* Effect.provideContext(
        Effect.all([reserved(account, key, 20), reserved(account, key, 30)]),
        silent
      )
      const lines: Array<unknown> = []
      const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
      const living = yield* Layer.build(Layer.provide(ledgerInFleet(address, "living", quick), Logger.layer([logger])))
      yield* Effect.gen(function* () {
        yield* until(states, (found) => found.every((call) => call["state"] === "unknown"))
        expect(yield* gateways).toEqual([{ id: Context.get(living, Fleet).owner() }])
        expect(yield* query("SELECT DISTINCT owner FROM calls")).toEqual([
          { owner: Context.get(living, Fleet).owner() }
        ])
        expect(Context.get(living, Fleet).size()).toBe(1)
        const told = ["another gateway is dead; its open calls are marked unknown", { gateway: "silent", calls: 2 }]
        expect(lines).toContainEqual(told)
      }).pipe(Effect.provideContext(living))
      // Nothing is written under the old id.
      expect(yield* Effect.provideContext(settle(settles, 7), silent)).toMatchObject({ state: "settled", micros: 7 })
      expect(fleet.owner()).not.toBe(gone)
      const again = yield* Effect.provideContext(reserved(account, key, 40), silent)
      yield* Effect.gen(function* () {
        expect(yield* query(`SELECT owner FROM calls WHERE id = '${again.call}'`)).toEqual([{ owner: fleet.owner() }])
        expect(yield* states).toEqual([
          { state: "settled", reserved: 20 },
          { state: "unknown", reserved: 30 },
          { state: "open", reserved: 40 }
        ])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provideContext(living))
      expect(stays.call).not.toBe(again.call)
    }).pipe(Effect.scoped)
  )

  it.live("cannot take a gateway for dead while it is committing", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const silent = yield* Layer.build(ledgerInFleet(address, "silent"))
      const sql = Context.get(silent, SqlClient)
      const beats = query("SELECT beat_at FROM gateways WHERE name = 'living'")
      const living = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT id FROM gateways WHERE name = 'silent' FOR KEY SHARE`
          const living = yield* Layer.build(ledgerInFleet(address, "living", { beatMillis: 10, deadMillis: 1 }))
          for (let looks = 0; looks < 2; looks++) {
            const [before] = yield* Effect.provideContext(beats, living)
            yield* until(Effect.provideContext(beats, living), ([row]) => row?.["beat_at"] !== before?.["beat_at"])
          }
          expect(yield* Effect.provideContext(gateways, living)).toHaveLength(2)
          return living
        })
      )
      yield* until(Effect.provideContext(gateways, living), (found) => found.length === 1)
    }).pipe(Effect.scoped)
  )

  it.live("take no more than there is: 200 race for one over three gateways", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const nodes = yield* Effect.forEach(["a", "b", "c"], (name) => Layer.build(ledgerInFleet(address, name, quick)))
      const node = (i: number) => nodes[i % nodes.length]!
      const { account, accounts, key } = yield* Effect.provideContext(funded, node(0))
      const { balance } = yield* accounts.get(account)
      yield* accounts.adjust(account, 10n - balance, "all but one call")
      const results = yield* Effect.all(
        Array.from({ length: 200 }, (_, i) => Effect.provideContext(reserve(account, key, 10), node(i))),
        { concurrency: "unbounded" }
      )
      expect(results.filter((result) => typeof result !== "string")).toHaveLength(1)
      expect(new Set(results.filter((result) => typeof result === "string"))).toEqual(new Set(["balance_reserved"]))
      expect(yield* Effect.provideContext(differences, node(1))).toEqual([])
      yield* accounts.adjust(account, 1_000n, "more")
      // The same for one idempotency key.
      const claim = { id: "claim", payload: "p", replay: true }
      const claims = yield* Effect.all(
        Array.from({ length: 200 }, (_, i) =>
          Ledger.use((ledger) => ledger.reserve(exchange(account, key, 5), claim)).pipe(
            Effect.match({ onSuccess: ({ kind }) => kind, onFailure: ({ refusal }) => refusal.code }),
            Effect.provideContext(node(i))
          )
        ),
        { concurrency: "unbounded" }
      )
      expect(claims.filter((result) => result === "reserved")).toHaveLength(1)
    }).pipe(Effect.scoped)
  )
})
