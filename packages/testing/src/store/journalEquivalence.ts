import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { expect, it } from "@effect/vitest"
import { fromMicros, micro, nano } from "@tollgate/contract/Money"
import { Accounts, Audit, Ledger } from "@tollgate/gateway"
import { MaxPending } from "@tollgate/ledger/commit/journal/Checkpoint"
import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import * as Rows from "@tollgate/ledger/store/rows"
import type { Attempted } from "@tollgate/ledger/ledger/Command"
import type { Idempotency, Reservation, Settled } from "@tollgate/ledger/ledger/Ledger"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { exchange, ledgerOn } from "../ledger/ledgerOn.ts"
import type { Driver, Store } from "./Driver.ts"
import { query } from "./query.ts"
import { alsoOnPostgres, onMigratedDatabase } from "./postgres.ts"
import { ledgerTables } from "./ledgerTables.ts"

// The whole: JOURNAL_SEEDS=1000 pnpm test:all sqliteEmbedded
const seeds = countOf("JOURNAL_SEEDS", 6, 30)
const steps = 120
const pauses = ["10 millis", "2 seconds", "3 hours", "1 day"] as const

/** The same numbers for the same seed. */
const random = (seed: number) => {
  let state = (seed * 7_919 + 17) % 2_147_483_647
  return (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
}

const hostileGaps = ["tiers.turbo", '"\\{},NULL', "\u0000\u001b[31m", "\ud800", "tiers.turbo", "\u{1f980}".repeat(200)]

const settled = (micros: number, body: string): Settled => ({
  settlement: {
    value: micro(BigInt(micros + 1)),
    charged: micro(BigInt(micros)),
    chargedNano: fromMicros(micro(BigInt(micros)))
  },
  costState: micros % 2 === 0 ? "settled" : "estimated",
  answer: { status: 200 + (micros % 3), contentType: "text/plain", bytes: new TextEncoder().encode(body) },
  evidence: `{"micros":${micros}}`,
  failed: micros % 11 === 0,
  ...(micros % 13 === 0 ? { gaps: hostileGaps } : {}),
  ...(micros % 3 === 0 ? { cost: nano(BigInt(micros) * 700n) } : {}),
  usage: { input: micros, output: 2 * micros, cacheRead: micros % 5, cacheWrite: micros % 7 }
})

/** With and without an answer, and with and without other upstreams before it. */
const attempted = (which: number): Attempted => ({
  provider: which % 2 === 0 ? undefined : `upstream${which}`,
  tried: which < 2 ? undefined : [{ upstream: "first", outcome: "busy" }]
})

/** Every row without its random parts. `rename` replaces random ids. */
const dump = Effect.fnUntraced(function* (rename: (text: string) => string) {
  const sql = yield* SqlClient
  yield* foldUsage(Rows.make(sql))
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const table of ledgerTables) {
    const rows = yield* sql.unsafe<Record<string, unknown>>(`SELECT * FROM ${table}`)
    found[table] = rows
      .map(({ hash: _hash, owner, ...row }) => rename(JSON.stringify(table === "tasks" ? { ...row, owner } : row)))
      .toSorted()
  }
  return found
})

/** Runs random commands and returns all results and rows. */
const runSeed = Effect.fnUntraced(function* (seed: number) {
  const next = random(seed)
  const accounts = yield* Accounts
  const ledger = yield* Ledger
  const account = (yield* accounts.create("test")).id
  // So little that it is used up sometimes.
  yield* accounts.adjust(account, micro(500n - (yield* accounts.get(account)).balance), "all but")
  const one = (yield* accounts.createKey(account, { budget: micro(600n) })).id
  const other = (yield* accounts.createKey(account, { dayBudget: micro(150n) })).id
  const rotated = (yield* accounts.rotateKey(one, 1e12)).id
  const keys = [one, other, rotated, ""]
  const unended: Array<Reservation> = []
  const results: Array<unknown> = []
  let calls = 0

  const start = Effect.fnUntraced(function* () {
    const name = next(3) === 0 ? `name${next(8)}` : undefined
    const idempotency: Idempotency | undefined =
      name === undefined ? undefined : { id: name, payload: `p${next(8) === 0 ? 1 : 0}`, replay: next(2) === 0 }
    const result = yield* Effect.match(
      ledger.reserve(
        {
          ...exchange(
            account,
            keys[next(keys.length)]!,
            next(60),
            `call${calls++}`,
            next(3) === 0 ? 60 + next(20) : undefined,
            next(2) === 0 ? `model${next(3)}` : undefined
          ),
          ...(next(2) === 0 ? { tags: { team: `team ${next(3)}`, [`t${next(40)}`]: "v" } } : {})
        },
        idempotency
      ),
      { onFailure: ({ refusal }) => refusal.code, onSuccess: (reserved) => reserved }
    )
    if (typeof result !== "string" && result.kind === "reserved") unended.push(result.reservation)
    results.push(
      typeof result === "string" ? result : result.kind === "replay" ? [result.answer, result.charge] : result.kind
    )
  })

  const begin = (reservation: Reservation) => {
    // The answer to store is the one that started the task.
    unended[unended.indexOf(reservation)] = { ...reservation, keepAnswer: false }
    return ledger.begin(
      reservation,
      {
        id: `task of ${reservation.call}`,
        owner: one,
        provider: "p",
        upstreamId: `u of ${reservation.call}`,
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
        ? // More than any reservation, and sometimes more than the cap.
          ledger.settle(reservation, settled(next(120), `answer ${calls}`), attempted(next(4)))
        : how < 7
          ? next(3) === 0
            ? ledger.refuse(reservation)
            : ledger.release(reservation, next(2) === 0 ? 500 : 200, next(2) === 0, attempted(next(4)))
          : how < 8
            ? ledger.markUnknown(reservation, attempted(next(4)))
            : how < 9
              ? begin(reservation)
              : ledger.finish(reservation, {
                  kind: "settle",
                  settled: settled(next(120), "done"),
                  task: { id: `task of ${reservation.call}`, status: "SUCCEEDED", body: "{}", expiresAt: 1e15 }
                })
    )
  }

  /** Ends different calls at once, perhaps in one commit. The order of two ends of the same call would be undefined. */
  const ends = Effect.fnUntraced(function* (most: number) {
    const some = new Set(Array.from({ length: unended.length === 0 ? 0 : most }, () => unended[next(unended.length)]!))
    const exits = yield* Effect.all([...some].map(end), { concurrency: "unbounded" })
    results.push(exits.map((exit) => (Exit.isSuccess(exit) ? exit.value : "failed")))
  })

  for (let i = 0; i < steps; i++) {
    const what = next(20)
    if (what < 9) yield* start()
    else if (what < 14) yield* ends(1)
    else if (what < 17) {
      yield* ends(5)
    } else if (what < 18) {
      if (next(4) === 0) {
        const now = yield* Clock.currentTimeMillis
        yield* TestClock.setTime(Math.max(0, now - next(2 * 86_400_000)))
      } else yield* TestClock.adjust(pauses[next(pauses.length)]!)
    } else if (what < 19) results.push((yield* accounts.get(account)).reserved)
    else
      results.push(yield* Effect.map(accounts.topUp(account, micro(200n), "more", `e${i}`), ({ balance }) => balance))
  }
  const audit = yield* Audit.run
  // Tasks are ended at random, so the audit finds differences there.
  expect(audit.differences.filter(({ table }) => table !== "tasks")).toEqual([])
  results.push(
    audit.totals,
    audit.overdrafts.map(({ amount, of }) => [of, amount])
  )
  const names = [account, one, other, rotated]
  const seen = Object.entries({
    loss: audit.totals.loss > 0n,
    overdraft: audit.overdrafts.length > 0,
    "quota at another time": (yield* query("SELECT id FROM calls WHERE quota_at IS NOT NULL")).length > 0,
    refused: (yield* query("SELECT id FROM calls WHERE state = 'refused'")).length > 0,
    replayed: (yield* query("SELECT id FROM calls WHERE state = 'replayed'")).length > 0
  }).flatMap(([what, is]) => (is ? [what] : []))
  return {
    results,
    seen,
    found: yield* dump((row) => names.reduce((row, name, i) => row.replaceAll(name, `<${i}>`), row))
  }
})

/** Runs the same random commands through the journal and, in PostgreSQL, straight into the tables. */
export const journalEquivalence = ({ single }: Driver): void => {
  it.effect.runIf(alsoOnPostgres)(
    `leads to the same results and tables as no journal, with ${seeds} seeds`,
    () =>
      Effect.gen(function* () {
        const run = (seed: number, store: Store, maxPending = 256) =>
          Effect.scoped(
            Effect.provide(runSeed(seed), Layer.provideMerge(ledgerOn(store), TestClock.layer())).pipe(
              Effect.provideService(MaxPending, maxPending)
            )
          )
        const seen = new Set<string>()
        for (let seed = 0; seed < seeds; seed++) {
          const direct = yield* run(seed, onMigratedDatabase())
          expect({ seed, all: yield* run(seed, single()) }).toEqual({ seed, all: direct })
          // It is full often, and leaves open calls.
          expect({ seed, all: yield* run(seed, single(), 1 + (seed % 9)) }).toEqual({ seed, all: direct })
          for (const what of direct.seen) seen.add(what)
        }
        // The commands reach what they are meant to.
        expect([...seen].toSorted()).toEqual(["loss", "overdraft", "quota at another time", "refused", "replayed"])
      }),
    600_000
  )
}
