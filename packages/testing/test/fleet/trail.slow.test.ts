import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Accounts, Composition, KeyHash, Operators } from "@tollgate/gateway"
import * as Rows from "@tollgate/ledger/store/rows"
import { verify } from "@tollgate/ledger/trail/verify"
import { NodeDigest } from "@tollgate/server"
import { PostgresClient } from "@tollgate/server/postgres"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"

const secret = Redacted.make(new Uint8Array(32).fill(7))

/** Two gateways on one PostgreSQL store. */
const gateways = Effect.gen(function* () {
  const address = yield* migratedDatabase
  const store = Composition.layerStore(secret).pipe(
    Layer.provideMerge(PostgresClient.layer({ address })),
    Layer.provide(NodeDigest.layer)
  )
  const one = () => Layer.build(Layer.fresh(store))
  return [yield* one(), yield* one()] as const
})

describe.runIf(hasPostgres)("on several gateways", () => {
  it.live("the trail has each change once, in one line of hashes, however many come at once", () =>
    Effect.gen(function* () {
      const [one, other] = yield* gateways
      const empty = yield* verify(Rows.make(Context.get(one, SqlClient)), Context.get(one, KeyHash))
      expect(empty).toEqual({ head: { seq: 0, hash: "" }, differences: [] })
      const of = (i: number) => (i % 2 === 0 ? one : other)
      const accounts = (i: number) => Context.get(of(i), Accounts)
      const made = yield* Effect.forEach([0, 1, 2, 3], (i) => accounts(i).create(`account ${i}`), { concurrency: 4 })
      const changes = Array.from({ length: 120 }, (_, i): Effect.Effect<unknown, unknown> => {
        const { id } = made[i % 4]!
        if (i % 3 === 0) return accounts(i).topUp(id, micro(5n), "paid", `entry-${i - (i % 2)}`)
        return i % 3 === 1
          ? accounts(i).createKey(id, { label: `key ${i}` })
          : accounts(i).change(id, { label: `name ${i}` })
      })
      yield* Effect.all(changes.map(Effect.exit), { concurrency: "unbounded" })
      const sql = Context.get(one, SqlClient)
      const { differences, head } = yield* verify(Rows.make(sql), Context.get(one, KeyHash))
      expect(differences).toEqual([])
      const [{ n } = { n: 0 }] = yield* sql<{
        n: number
      }>`SELECT CAST(COUNT(*) AS INTEGER) AS n FROM trail WHERE action = 'money booked'`
      const [{ m } = { m: 0 }] = yield* sql<{ m: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS m FROM entries`
      expect([n, head.seq >= 80]).toEqual([m, true])
    }).pipe(Effect.scoped)
  )

  it.live("of two owners who end each other at two gateways at once, one is left", () =>
    Effect.gen(function* () {
      const [one, other] = yield* gateways
      const [here, there] = [Context.get(one, Operators), Context.get(other, Operators)]
      for (let round = 0; round < 5; round++) {
        const ada = yield* here.create({ name: "Ada", role: "owner" })
        const owners = (yield* here.list).filter(({ ended, role }) => role === "owner" && !ended)
        const bob = owners.find(({ id }) => id !== ada.id) ?? (yield* here.create({ name: "Bob", role: "owner" }))
        yield* Effect.all([Effect.exit(here.end(bob.id)), Effect.exit(there.change(ada.id, { role: "reader" }))], {
          concurrency: "unbounded"
        })
        expect((yield* there.list).filter(({ ended, role }) => role === "owner" && !ended)).toHaveLength(1)
      }
    }).pipe(Effect.scoped)
  )
})
