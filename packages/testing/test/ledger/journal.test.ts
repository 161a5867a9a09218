import { afterAll, describe, expect, it } from "@effect/vitest"
import { fromMicros, micro } from "@tollgate/contract/Money"
import { Accounts, Ledger, LedgerSql } from "@tollgate/gateway"
import type { Priced } from "@tollgate/gateway/Exchange"
import type { Idempotency, Reservation, Settled } from "@tollgate/gateway/ledger/Ledger"
import * as Transaction from "@tollgate/gateway/store/Transaction"
import { NodeSqliteClient } from "@tollgate/server"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { differences, funded as fundedAtOnce, layerOn, reserve, reserved, settle } from "@tollgate/testing/ledger/store"

const folder = mkdtempSync(join(tmpdir(), "tollgate-journal-"))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const newFile = () => join(folder, `${files++}.db`)

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** After the first sweep, which reads the tables. */
const funded = Effect.tap(fundedAtOnce, () => Effect.andThen(turn, turn))

/** Another process, as far as the store can tell. */
const visitor = <A, E>(filename: string, effect: Effect.Effect<A, E, SqlClient>) =>
  Effect.provide(effect, NodeSqliteClient.layer({ filename }))

const count = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient
  const [row] = yield* sql.unsafe<{ readonly n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)
  return row!.n
})

describe("what is in the journal", () => {
  it.effect("is there for who reads in this process, and is not looked for by others until they ask", () => {
    const filename = newFile()
    return Effect.gen(function* () {
      const { account, key } = yield* funded
      yield* settle(yield* reserved(account, key, 10), 7)
      const seen = Effect.all([count("journal"), count("calls"), count("usage_sums")])
      expect(yield* visitor(filename, seen)).toEqual([2, 0, 0])
      expect(yield* seen).toEqual([0, 1, 3])
      expect(yield* visitor(filename, seen)).toEqual([0, 1, 3])
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layerOn({ filename })))
  })

  it.effect("goes into the tables by itself after a second", () => {
    const filename = newFile()
    return Effect.gen(function* () {
      const { account, key } = yield* funded
      yield* settle(yield* reserved(account, key, 10), 7)
      yield* TestClock.adjust("1 second")
      expect(yield* visitor(filename, Effect.all([count("journal"), count("calls")]))).toEqual([0, 1])
    }).pipe(Effect.provide(layerOn({ filename })))
  })

  it.effect("goes into the tables when much has come together", () => {
    const filename = newFile()
    return Effect.gen(function* () {
      const { account, key } = yield* funded
      for (let i = 0; i < 256; i++) yield* reserved(account, key, 1)
      yield* Effect.andThen(turn, turn)
      expect(yield* visitor(filename, Effect.all([count("journal"), count("calls")]))).toEqual([0, 256])
    }).pipe(Effect.provide(layerOn({ filename })))
  })

  it.effect("is brought into the tables once, also when another process does it first", () => {
    const filename = newFile()
    return Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      const open = yield* reserved(account, key, 10)
      yield* settle(yield* reserved(account, key, 10), 7)
      yield* visitor(filename, LedgerSql.catchUp)
      expect(yield* visitor(filename, Effect.all([count("journal"), count("calls")]))).toEqual([0, 2])
      yield* settle(open, 5)
      yield* visitor(filename, LedgerSql.catchUp)
      yield* visitor(filename, LedgerSql.catchUp)
      expect(yield* accounts.getKey(key)).toMatchObject({ spent: 12n, reserved: 0n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layerOn({ filename })))
  })

  it.effect("counts together with what another process changed meanwhile", () => {
    const filename = newFile()
    return Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      yield* reserved(account, key, 10)
      const budget = (micros: number) =>
        visitor(
          filename,
          Effect.flatMap(SqlClient, (sql) => sql`UPDATE keys SET budget = ${micros} WHERE id = ${key}`)
        )
      yield* budget(19)
      expect(yield* reserve(account, key, 10)).toBe("over_budget")
      yield* budget(20)
      const second = yield* reserved(account, key, 10)
      expect(yield* reserve(account, key, 1)).toBe("over_budget")
      yield* settle(second, 1)
      yield* accounts.changeKey(key, { budget: micro(12n) })
      expect(yield* reserve(account, key, 2)).toBe("over_budget")
      yield* reserved(account, key, 1)
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layerOn({ filename })))
  })

  it.effect("is found by the next gateway when this one is killed, and by the command line before that", () => {
    const filename = newFile()
    return Effect.gen(function* () {
      const killed = yield* Scope.make()
      const { key } = yield* Effect.gen(function* () {
        const owners = yield* funded
        yield* settle(yield* reserved(owners.account, owners.key, 10), 7)
        yield* reserved(owners.account, owners.key, 20)
        return owners
      }).pipe(Effect.provide(yield* Layer.buildWithScope(layerOn({ filename }), killed)))
      // A copy of the file is the file as a killed process leaves it.
      const left = newFile()
      yield* visitor(
        filename,
        Effect.flatMap(SqlClient, (sql) => sql.unsafe(`VACUUM INTO '${left}'`))
      )
      yield* Scope.close(killed, Exit.void)
      expect(yield* visitor(left, Effect.all([count("journal"), count("calls")]))).toEqual([3, 0])
      yield* visitor(left, LedgerSql.catchUp)
      expect(yield* visitor(left, Effect.all([count("journal"), count("calls"), differences]))).toEqual([0, 2, []])
      yield* Effect.gen(function* () {
        const accounts = yield* Accounts
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 20n })
        const sql = yield* SqlClient
        expect(yield* sql`SELECT state, reserved, charged FROM calls ORDER BY reserved`).toEqual([
          { state: "settled", reserved: 10, charged: 7 },
          { state: "unknown", reserved: 20, charged: 0 }
        ])
      }).pipe(Effect.provide(layerOn({ filename: left })))
    })
  })

  it.effect("does not hold what was not committed", () => {
    const filename = newFile()
    return Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      const sql = yield* SqlClient
      yield* reserved(account, key, 10)
      yield* sql`CREATE TRIGGER refuse BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'as told'); END`
      for (let i = 0; i < 3; i++) expect(yield* reserve(account, key, 100)).toBe("billing_unavailable")
      yield* sql`DROP TRIGGER refuse`
      yield* reserved(account, key, 1)
      expect(yield* accounts.getKey(key)).toMatchObject({ spent: 0n, reserved: 11n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layerOn({ filename })))
  })

  it.effect("stays there while the tables cannot take it, and readers meet the tables as they were", () => {
    const filename = newFile()
    return Effect.gen(function* () {
      const { account, key } = yield* funded
      const sql = yield* SqlClient
      yield* sql`CREATE TRIGGER refuse BEFORE INSERT ON calls BEGIN SELECT RAISE(ABORT, 'as told'); END`
      yield* settle(yield* reserved(account, key, 10), 7)
      expect(yield* Effect.all([count("journal"), count("calls")])).toEqual([2, 0])
      expect(yield* reserve(account, key, 10)).toBe("billing_unavailable")
      yield* sql`DROP TRIGGER refuse`
      yield* reserved(account, key, 10)
      expect(yield* Effect.all([count("journal"), count("calls")])).toEqual([0, 2])
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layerOn({ filename })))
  })
})

it.effect("a commit waits for the disk, unless it only reserves for calls that nobody can ask for again", () =>
  Effect.gen(function* () {
    const said: Array<unknown> = []
    const store = Layer.effect(
      SqlClient,
      Effect.map(Layer.build(NodeSqliteClient.layer({ filename: newFile() })), (context) => {
        const sql = Context.get(context, SqlClient)
        const solitary = Transaction.solitary(sql)!
        const now: Transaction.Solitary["now"] = (transaction) => {
          said.push(transaction.mayWait ?? false)
          return solitary.now(transaction)
        }
        return Transaction.withSolitary(sql, { ...solitary, now })
      })
    )
    yield* Effect.gen(function* () {
      const { account, key } = yield* funded
      const ledger = yield* Ledger
      const keyed = { id: "name", payload: "p", replay: false }
      const flags = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
        said.length = 0
        const result = yield* effect
        return [result, [...said]] as const
      })
      const context = yield* Effect.context<Ledger>()
      const [call, reserving] = yield* flags(Effect.provideContext(reserved(account, key, 10), context))
      expect(reserving).toEqual([true])
      expect((yield* flags(ledger.reserve(exchange("keyed", account, key, 1), keyed)))[1]).toEqual([false])
      const both = [ledger.settle(call, settled(1, "")), ledger.reserve(exchange("other", account, key, 1), undefined)]
      const [, together] = yield* flags(Effect.all(both, { concurrency: "unbounded" }))
      expect(together[0]).toBe(false)
      expect((yield* flags(TestClock.adjust("1 second")))[1]).toEqual([false])
    }).pipe(Effect.provide(layerOn(store)))
  }).pipe(Effect.scoped)
)

const seeds = Number(process.env.JOURNAL_SEEDS ?? 30)
const steps = 120
const pauses = ["10 millis", "2 seconds", "3 hours", "1 day"] as const

/** The same numbers for the same seed. */
const random = (seed: number) => {
  let state = (seed * 7_919 + 17) % 2_147_483_647
  return (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
}

const exchange = (call: string, account: string, key: string, most: number): Priced =>
  ({
    requestId: call,
    operation: { id: "rerank" },
    principal: { account, key },
    estimate: { most: fromMicros(micro(BigInt(most))) }
  }) as Priced

const settled = (micros: number, body: string): Settled => ({
  settlement: {
    value: micro(BigInt(micros + 1)),
    charged: micro(BigInt(micros)),
    chargedNano: fromMicros(micro(BigInt(micros)))
  },
  costState: micros % 2 === 0 ? "settled" : "estimated",
  answer: { status: 200 + (micros % 3), contentType: "text/plain", bytes: new TextEncoder().encode(body) },
  evidence: `{"micros":${micros}}`,
  usage: { input: micros, output: 2 * micros, cacheRead: micros % 5, cacheWrite: micros % 7 }
})

const tables = ["accounts", "keys", "calls", "idempotency", "answers", "usage_sums", "account_sums", "tasks"]

/** A period that is over counts for nothing, whether or not anybody has noticed that it is. */
const ofToday = (row: Record<string, unknown>, now: number) => {
  const start = Math.floor(now / 86_400_000) * 86_400_000
  return "quota_from" in row && Number(row.quota_from) < start ? { ...row, quota_from: start, quota_spent: 0 } : row
}

/** Every row, without what is drawn anew every time; `known` has the ids that are. */
const dump = Effect.fnUntraced(function* (known: (text: string) => string) {
  const sql = yield* SqlClient
  const now = yield* Clock.currentTimeMillis
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const table of tables) {
    const rows = yield* sql.unsafe<Record<string, unknown>>(`SELECT * FROM ${table}`)
    found[table] = rows
      .map(({ hash: _hash, owner: _owner, ...row }) => known(JSON.stringify(ofToday(row, now))))
      .toSorted()
  }
  return found
})

/** One course of events, and what came of it. */
const course = Effect.fnUntraced(function* (seed: number) {
  const next = random(seed)
  const accounts = yield* Accounts
  const ledger = yield* Ledger
  const account = (yield* accounts.create("test")).id
  // So little that it is used up at times.
  yield* accounts.adjust(account, micro(500n - (yield* accounts.get(account)).balance), "all but")
  const one = (yield* accounts.createKey(account, { budget: micro(600n) })).id
  const other = (yield* accounts.createKey(account, { quota: { amount: micro(150n), period: "day" } })).id
  const rotated = (yield* accounts.rotateKey(one, 1e12)).id
  const keys = [one, other, rotated, ""]
  const under: Array<Reservation> = []
  const results: Array<unknown> = []
  let calls = 0

  const start = Effect.fnUntraced(function* () {
    const name = next(3) === 0 ? `name${next(8)}` : undefined
    const idempotency: Idempotency | undefined =
      name === undefined ? undefined : { id: name, payload: `p${next(8) === 0 ? 1 : 0}`, replay: next(2) === 0 }
    const result = yield* Effect.match(
      ledger.reserve(exchange(`call${calls++}`, account, keys[next(keys.length)]!, next(60)), idempotency),
      { onFailure: ({ refusal }) => refusal.code, onSuccess: (reserved) => reserved }
    )
    if (typeof result !== "string" && result.kind === "reserved") under.push(result.reservation)
    results.push(typeof result === "string" ? result : result.kind === "replay" ? result.answer : result.kind)
  })

  const begin = (reservation: Reservation) => {
    // Its answer is the one that it was begun with.
    under[under.indexOf(reservation)] = { ...reservation, keepAnswer: false }
    return ledger.begin(
      reservation,
      {
        id: `task of ${reservation.call}`,
        owner: one,
        provider: "p",
        upstreamId: "u",
        price: fromMicros(micro(1n)),
        multiplier: 1_000_000n,
        status: "RUNNING",
        body: "{}"
      },
      settled(0, "begun").answer
    )
  }

  const end = (reservation: Reservation) => {
    const how = next(10)
    return Effect.exit(
      how < 6
        ? ledger.settle(reservation, settled(next(70), `answer ${calls}`))
        : how < 7
          ? ledger.release(reservation, 500)
          : how < 8
            ? ledger.markUnknown(reservation)
            : how < 9
              ? begin(reservation)
              : ledger.finish(reservation, {
                  ask: "settle",
                  settled: settled(next(70), "done"),
                  task: { id: `task of ${reservation.call}`, status: "SUCCEEDED", body: "{}", expiresAt: 1e15 }
                })
    )
  }

  /** At once, and so perhaps in one commit: of different calls, for it is not said which of two ends of one comes first. */
  const ends = Effect.fnUntraced(function* (most: number) {
    const some = new Set(Array.from({ length: under.length === 0 ? 0 : most }, () => under[next(under.length)]!))
    const exits = yield* Effect.all([...some].map(end), { concurrency: "unbounded" })
    results.push(exits.map((exit) => (Exit.isSuccess(exit) ? exit.value : "failed")))
  })

  for (let i = 0; i < steps; i++) {
    const what = next(20)
    if (what < 9) yield* start()
    else if (what < 14) yield* ends(1)
    else if (what < 17) {
      yield* ends(5)
    } else if (what < 18) yield* TestClock.adjust(pauses[next(pauses.length)]!)
    else if (what < 19) results.push((yield* accounts.get(account)).reserved)
    else
      results.push(yield* Effect.map(accounts.topUp(account, micro(100n), "more", `e${i}`), ({ balance }) => balance))
  }
  // What became of tasks was left to chance.
  expect((yield* differences).filter(({ table }) => table !== "tasks")).toEqual([])
  const names = [account, one, other, rotated]
  return { results, found: yield* dump((row) => names.reduce((row, name, i) => row.replaceAll(name, `<${i}>`), row)) }
})

/** A store that cannot do what the journal wants: everything goes into the tables at once. */
const withoutJournal = Layer.effect(
  SqlClient,
  Effect.map(Layer.build(NodeSqliteClient.layer({ filename: ":memory:" })), (context) =>
    Transaction.withSolitary(Context.get(context, SqlClient), undefined)
  )
)

const run = (seed: number, store: Parameters<typeof layerOn>[0]) =>
  Effect.scoped(Effect.provide(course(seed), Layer.provideMerge(layerOn(store), TestClock.layer())))

it.effect(
  `journal and tables come to the same, in ${seeds} courses of events`,
  () =>
    Effect.gen(function* () {
      for (let seed = 0; seed < seeds; seed++) {
        const direct = yield* run(seed, withoutJournal)
        expect({ seed, all: yield* run(seed, { filename: ":memory:" }) }).toEqual({ seed, all: direct })
      }
    }),
  120_000
)
