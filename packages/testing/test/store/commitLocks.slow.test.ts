import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import type { Command, CommandOf } from "@tollgate/ledger/ledger/Command"
import type { Reservation } from "@tollgate/ledger/ledger/Ledger"
import { PostgresClient } from "@tollgate/server/postgres"
import { until } from "@tollgate/testing/fleet/until"
import { costing, differences } from "@tollgate/testing/ledger/ledgerOn"
import { groupRunner } from "@tollgate/testing/store/groupRunner"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import { withoutFunction } from "@tollgate/testing/store/withoutFunction"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"

const callOf = (account: string, name: string): Reservation => ({
  call: `${account} ${name}`,
  account,
  key: `key of ${account}`,
  operation: "rerank",
  amount: micro(5n),
  createdAt: 1,
  keepAnswer: true
})

const claimOf = (account: string) => ({ id: `claim of ${account}`, payload: "", replay: true })

const reserve = (reservation: Reservation, idempotency?: CommandOf<"reserve">["idempotency"]): Command => ({
  kind: "reserve",
  now: 1,
  reservation,
  idempotency
})
const settle = (reservation: Reservation): Command => ({ kind: "settle", now: 1, reservation, settled: costing(3) })
const release = (reservation: Reservation): Command => ({ kind: "release", now: 1, reservation, status: 500 })
const refuse = (reservation: Reservation): Command => ({ kind: "refuse", now: 1, reservation })
const markUnknown = (reservation: Reservation): Command => ({ kind: "mark_unknown", now: 1, reservation })

const addAccount = (id: string) =>
  Effect.gen(function* () {
    yield* query(`INSERT INTO accounts (id, label, created_at, balance) VALUES ('${id}', '', 0, 100)`)
    yield* query(
      `INSERT INTO entries (id, account, kind, amount, note, at) VALUES ('${id}', '${id}', 'credit', 100, '', 0)`
    )
    yield* query(
      `INSERT INTO keys (id, account, hash, label, created_at) VALUES ('key of ${id}', '${id}', '${id}', '', 0)`
    )
  })

/** A gateway's connections. */
const connect = Effect.fnUntraced(function* (address: Redacted.Redacted, { isFast = true } = {}) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const store = yield* Layer.buildWithScope(PostgresClient.layer({ address }), scope)
  const context = isFast ? store : withoutFunction(store)
  const { run } = yield* groupRunner.pipe(Effect.provideContext(context), Scope.provide(scope))
  return { context, run, close: Scope.close(scope, Exit.void) }
})

/** Waits until so many connections wait for a lock. */
const waiting = (count: number) =>
  until(
    query("SELECT COUNT(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"),
    ([row]) => row?.["n"] === count
  )

/** A server process reports what it has counted when it ends, so the others must be closed. */
const deadlocks = Effect.gen(function* () {
  yield* until(
    query("SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database()"),
    ([row]) => row?.["n"] === 1
  )
  const [row] = yield* query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
  return row?.["deadlocks"]
})

/** Holds a row while `during` runs. */
const holding = <A, E, R>(table: string, id: string, during: Effect.Effect<A, E, R>) =>
  SqlClient.use((sql) =>
    sql.withTransaction(Effect.andThen(sql`SELECT id FROM ${sql(table)} WHERE id = ${id} FOR UPDATE`, during))
  )

const scoped = Effect.provide(SecureRandom.layerWebCrypto)

describe.runIf(hasPostgres)("gateways that end the same calls, because one was taken for dead, do not deadlock", () => {
  /** Both end calls of one account, and wait for the one in the middle. */
  const endBoth = (names: { readonly one: string; readonly other: string }, other: { readonly isFast: boolean }) =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const scope = yield* Scope.make()
      const third = yield* Layer.buildWithScope(PostgresClient.layer({ address, maxConnections: 2 }), scope)
      const [one, two] = [yield* connect(address), yield* connect(address, other)]
      yield* Effect.gen(function* () {
        yield* addAccount("a")
        const calls = (names: string) => [...names].map((name) => callOf("a", name))
        for (const call of calls("xyz")) yield* one.run([reserve(call)])
        const fibers = yield* holding(
          "calls",
          "a y",
          Effect.gen(function* () {
            const later = yield* Effect.forkScoped(two.run(calls(names.other).map(markUnknown)))
            yield* waiting(1)
            const first = yield* Effect.forkScoped(one.run(calls(names.one).map(settle)))
            yield* Effect.sleep(100)
            return [later, first]
          })
        )
        for (const fiber of fibers) yield* Fiber.join(fiber)
        expect(yield* query("SELECT state FROM calls WHERE id = 'a z'")).toEqual([{ state: "settled" }])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provideContext(third))
      for (const { close } of [one, two]) yield* close
      yield* Scope.close(scope, Exit.void)
      const last = PostgresClient.layer({ address, maxConnections: 1 })
      expect(yield* Effect.provide(deadlocks, last)).toBe(0)
    }).pipe(Effect.scoped, scoped)

  it.live("in groups that the store decides", () => endBoth({ one: "xyz", other: "zyx" }, { isFast: true }))
  it.live("in a group that the store decides, and one that it leaves", () =>
    endBoth({ one: "z", other: "yz" }, { isFast: false })
  )
})

interface Pair {
  readonly name: string
  readonly before: (account: string) => ReadonlyArray<Command>
  readonly first: (account: string) => Command
  readonly second: (account: string) => Command
  /** The states of the account's calls afterwards. */
  readonly states: ReadonlyArray<string>
}

const open = (account: string) => [reserve(callOf(account, "x"), claimOf(account))]
const one = (command: (reservation: Reservation) => Command) => (account: string) => command(callOf(account, "x"))
const ofClaim = (name: string) => (account: string) => reserve(callOf(account, name), claimOf(account))

const pairs: ReadonlyArray<Pair> = [
  { name: "two settle", before: open, first: one(settle), second: one(settle), states: ["settled"] },
  { name: "settle, release", before: open, first: one(settle), second: one(release), states: ["settled"] },
  { name: "release, settle", before: open, first: one(release), second: one(settle), states: ["released"] },
  { name: "settle, mark unknown", before: open, first: one(settle), second: one(markUnknown), states: ["settled"] },
  { name: "mark unknown, settle", before: open, first: one(markUnknown), second: one(settle), states: ["settled"] },
  { name: "two reserve the same", before: () => [], first: one(reserve), second: one(reserve), states: ["open"] },
  { name: "reserve, refuse", before: () => [], first: one(reserve), second: one(refuse), states: ["refused"] },
  {
    name: "reserve under a key, refuse",
    before: () => [],
    first: ofClaim("x"),
    second: one(refuse),
    states: ["refused"]
  },
  { name: "two reserve under a key", before: () => [], first: ofClaim("x"), second: ofClaim("y"), states: ["open"] }
]

const locks = [
  ["accounts", (account: string) => account],
  ["keys", (account: string) => `key of ${account}`],
  ["calls", (account: string) => `${account} x`],
  ["idempotency", (account: string) => `claim of ${account}`]
] as const

const isDone = (fiber: Fiber.Fiber<unknown>): boolean => fiber.pollUnsafe() !== undefined

const waitingSessions = Effect.map(
  query("SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"),
  ([row]) => Number(row?.["n"])
)

/** Until each of these commands waits for a lock, or is done because it needs none that is held. */
const untilWaiting = (...fibers: ReadonlyArray<Fiber.Fiber<unknown>>) =>
  Effect.gen(function* () {
    const undone = () => fibers.filter((fiber) => !isDone(fiber)).length
    while ((yield* waitingSessions) < undone()) yield* Effect.sleep(5)
  })

describe.runIf(hasPostgres)("two commands that are in flight at once on two connections", () => {
  for (const [table, idIn] of locks) {
    it.live(`while another session holds a row of ${table}`, () =>
      Effect.gen(function* () {
        const address = yield* migratedDatabase
        const third = yield* Layer.build(PostgresClient.layer({ address, maxConnections: 20 }))
        const [left, right] = [yield* connect(address), yield* connect(address)]
        const runPair = Effect.fnUntraced(function* ({ before, first, name, second, states }: Pair, size: number) {
          const account = `${name} ${size}`
          yield* addAccount(account)
          for (const command of before(account)) yield* left.run([command])
          // The others of a group are reservations of their own.
          const group = (command: Command, side: string) => [
            command,
            ...Array.from({ length: size - 1 }, (_, i) => reserve({ ...callOf(account, `${side}${i}`), key: "" }))
          ]
          const fibers = yield* holding(
            table,
            idIn(account),
            Effect.gen(function* () {
              const earlier = yield* Effect.forkScoped(Effect.exit(left.run(group(first(account), "left"))))
              yield* untilWaiting(earlier)
              const later = yield* Effect.forkScoped(Effect.exit(right.run(group(second(account), "right"))))
              yield* untilWaiting(earlier, later)
              return [earlier, later]
            })
          )
          for (const fiber of fibers) yield* Fiber.join(fiber)
          const found = yield* query(
            `SELECT state FROM calls WHERE account = '${account}' AND id IN ('${account} x', '${account} y')`
          )
          expect([name, size, found.map(({ state }) => state)]).toEqual([name, size, states])
        })
        yield* Effect.gen(function* () {
          // One after the other: waiting sessions are counted.
          for (const pair of pairs) for (const size of [1, 3]) yield* runPair(pair, size)
          expect(yield* differences).toEqual([])
        }).pipe(Effect.provideContext(third))
      }).pipe(Effect.scoped, scoped)
    )
  }
})
