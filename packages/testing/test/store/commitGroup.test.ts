import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { expect, it } from "@effect/vitest"
import { fromMicros, micro } from "@tollgate/contract/Money"
import { Audit } from "@tollgate/gateway"
import type { Command, CommandOf } from "@tollgate/ledger/ledger/Command"
import type { Reservation } from "@tollgate/ledger/ledger/Ledger"
import { PostgresClient } from "@tollgate/server/postgres"
import { until } from "@tollgate/testing/fleet/until"
import { groupRunner } from "@tollgate/testing/store/groupRunner"
import { pausedReplies } from "@tollgate/testing/store/pausedReplies"
import { hasPostgres, migratedDatabase, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import { withoutFunction } from "@tollgate/testing/store/withoutFunction"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { ledgerTables } from "@tollgate/testing/store/ledgerTables"

// The whole: COMMIT_SEEDS=1000 pnpm test commitGroup
const seeds = countOf("COMMIT_SEEDS", 2, 8)
const groupsOfSeed = 30
const day = 86_400_000

/** The same numbers for the same seed. */
const random = (seed: number) => {
  let state = (seed * 7_919 + 17) % 2_147_483_647
  return (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
}

type Next = ReturnType<typeof random>

/** The accounts and keys of a seed. Their amounts are so small that they are used up sometimes. */
const rowsOf = (seed: number) => {
  const accounts = ["a", "b", "c", "near1.", "near2.", "zero"].map((name) => `${name}${seed}`)
  const [first, second, , near, other, zero] = accounts as [string, string, string, string, string, string]
  const key = (id: string, account: string, terms: object = {}) => ({
    id: `${id}${seed}`,
    account,
    hash: `${id}${seed}`,
    label: "",
    created_at: 0,
    budget: null,
    day_budget: null,
    month_budget: null,
    root_key: null,
    ...terms
  })
  const keys = [
    key("k1.", first),
    key("k2.", first, { budget: 900 }),
    key("k3.", first, { root_key: `k2.${seed}` }),
    key("k4.", first, { day_budget: 200, month_budget: 900 }),
    key("k5.", second, { month_budget: 300, budget: 2_000 }),
    key("k6.", second, { root_key: `k5.${seed}` }),
    key("k7.", near, { budget: seed % 3 }),
    key("k8.", other, { month_budget: 1 }),
    key("k9.", zero)
  ]
  const balances = [3_000, 3_000, 300, 3_000, 3_000, seed % 3]
  return { accounts: accounts.map((id, i) => ({ id, label: "", created_at: 0, balance: balances[i]! })), keys }
}

/** On these accounts calls cost nothing or 1, so that what is left is often exactly zero. */
const isNearZero = (account: string): boolean => account.startsWith("near") || account.startsWith("zero")

const tags = ['{"team":"search"}', '{"team":"ads","job":["nightly"]}', '{"job":["weekly",0]}']

interface World {
  readonly next: Next
  readonly seed: number
  readonly owners: ReadonlyArray<readonly [account: string, key: string]>
  readonly calls: Array<Reservation>
  /** Those that no command has named yet, and those that one has marked unknown. */
  readonly fresh: Array<Reservation>
  readonly unknown: Array<Reservation>
  readonly begun: Set<string>
  now: number
}

const answer = (next: Next) => ({
  status: 200 + next(2) * 300,
  contentType: next(2) === 0 ? undefined : 'text/"plain"',
  bytes: new TextEncoder().encode(`answer \\ ${next(1_000)}`)
})

const reserveCommand = (world: World): Command => {
  const { calls, fresh, next, now, owners, seed } = world
  const [account, key] = owners[next(owners.length)]!
  const hasClaim = next(5) === 0
  const reservation: Reservation = {
    call: `call${seed}.${calls.length}`,
    account,
    key,
    operation: `operation${next(2)}`,
    model: next(2) === 0 ? undefined : `model, "${next(2)}"`,
    tags: next(4) === 0 ? tags[next(3)] : undefined,
    amount: micro(BigInt(next(isNearZero(account) ? 2 : 40))),
    ...(next(3) === 0 ? { cap: micro(BigInt(next(60))) } : {}),
    createdAt: now,
    keepAnswer: hasClaim
  }
  calls.push(reservation)
  fresh.push(reservation)
  return {
    kind: "reserve",
    now,
    reservation,
    free: next(12) === 0,
    idempotency: hasClaim
      ? { id: `claim ${account} ${next(6)}`, payload: `p${next(8) === 0 ? 1 : 0}`, replay: next(2) === 0 }
      : undefined
  }
}

const endCommand = ({ begun, calls, fresh, next, now, unknown }: World): Command => {
  const given = next(10) === 0 ? unknown.pop() : undefined
  if (given !== undefined) return { kind: "release", now, reservation: given, status: 500 }
  const isAny = fresh.length === 0 || next(6) === 0
  const chosen = isAny ? calls[next(calls.length)]! : fresh.splice(next(fresh.length), 1)[0]!
  // The answer of a task is the one that began it.
  const reservation = begun.has(chosen.call) ? { ...chosen, keepAnswer: false } : chosen
  const upstream = next(2) === 0 ? undefined : `upstream${next(2)}`
  const tried = next(3) === 0 ? '[{"upstream":"first"}]' : undefined
  const task = { id: `task of ${reservation.call}`, status: "SUCCEEDED", body: "{}", expiresAt: 1e15 } as const
  const micros = BigInt(next(isNearZero(reservation.account) ? 2 : 60))
  const settle: CommandOf<"settle"> = {
    kind: "settle",
    now,
    reservation,
    upstream,
    tried,
    settled: {
      settlement: { value: micro(micros + 1n), charged: micro(micros), chargedNano: fromMicros(micro(micros)) },
      costState: next(2) === 0 ? "settled" : "estimated",
      answer: answer(next),
      evidence: `{"micros":${micros}, "text": "it's \\"{}\\""}`,
      failed: next(9) === 0,
      usage: { input: next(9), output: next(9), cacheRead: next(9), cacheWrite: next(9) }
    }
  }
  switch (next(24)) {
    case 0:
      return { ...settle, task }
    case 1: {
      const price = fromMicros(micro(1n))
      const names = { id: task.id, owner: reservation.key, provider: "p", upstreamId: `u of ${reservation.call}` }
      const running = { ...names, price, multiplier: 1_000_000n, status: "RUNNING", body: "{}" } as const
      begun.add(reservation.call)
      return { kind: "begin", now, reservation, begun: running, answer: answer(next) }
    }
    case 2:
    case 3:
      return { kind: "refuse", now, reservation }
    case 4:
    case 5:
      unknown.push(reservation)
      return { kind: "mark_unknown", now, reservation, upstream }
    case 6:
    case 7:
      return { kind: "release", now, reservation, status: 200 + next(4) * 100, failed: next(3) === 0, upstream, tried }
    default:
      return settle
  }
}

const nextGroup = (world: World): ReadonlyArray<Command> => {
  const { next } = world
  const size = next(2) === 0 ? 1 : 2 + next(next(3) === 0 ? 30 : 6)
  return Array.from({ length: size }, () => {
    world.now += next(20) === 0 ? next(40) - 20 : 0
    return world.calls.length === 0 || next(2) === 0 ? reserveCommand(world) : endCommand(world)
  })
}

const passTime = (world: World): void => {
  const { next } = world
  const how = next(48)
  world.now += how === 0 ? next(3) * day : how === 1 ? 25 * day : how === 2 ? -next(day) : next(60_000)
}

const groupsOf = (seed: number): ReadonlyArray<ReadonlyArray<Command>> => {
  const { accounts, keys } = rowsOf(seed)
  const owners = [
    ...keys.flatMap(({ account, id }) => [[account, id] as const, [account, id] as const]),
    ...accounts.map(({ id }) => [id, ""] as const),
    ...(seed % 8 === 4 ? [["nobody", ""] as const, [accounts[0]!.id, "no key"] as const] : [])
  ]
  const known = { calls: [], fresh: [], unknown: [], begun: new Set<string>() }
  const world: World = { next: random(seed), seed, owners, ...known, now: 1_700_000_000_000 }
  return Array.from({ length: groupsOfSeed }, () => {
    passTime(world)
    return nextGroup(world)
  })
}

const dump = Effect.forEach(ledgerTables, (table) =>
  Effect.map(query(`SELECT * FROM ${table}`), (rows) => [
    table,
    rows.map(({ owner, ...row }) => JSON.stringify(table === "tasks" ? { ...row, owner } : row)).toSorted()
  ])
)

/** Commits as a gateway does, on accounts and keys of a seed. */
const runner = Effect.gen(function* () {
  const { counts, run } = yield* groupRunner
  const insert = Effect.fnUntraced(function* (seed: number) {
    const sql = yield* SqlClient
    const { accounts, keys } = rowsOf(seed)
    for (const account of accounts) {
      const { balance, id } = account
      yield* sql`INSERT INTO accounts ${sql.insert(account)}`
      yield* sql`INSERT INTO entries ${sql.insert({ id, account: id, kind: "credit", amount: balance, note: "", at: 0 })}`
    }
    for (const key of keys) yield* sql`INSERT INTO keys ${sql.insert(key)}`
  })
  return { run, insert, counts }
})

const inTwoTrips = Layer.effectContext(
  Effect.gen(function* () {
    return withoutFunction(yield* Layer.build(PostgresClient.layer({ address: yield* migratedDatabase })))
  })
)

it.effect.runIf(hasPostgres)(
  `a group decided by the store has the same results and tables as one decided by the gateway, with ${seeds} seeds`,
  () =>
    Effect.gen(function* () {
      const one = yield* Layer.build(onMigratedDatabase())
      const other = yield* Layer.build(inTwoTrips)
      const fast = yield* Effect.provideContext(runner, one)
      const slow = yield* Effect.provideContext(runner, other)
      for (let seed = 0; seed < seeds; seed++) {
        yield* Effect.provideContext(fast.insert(seed), one)
        yield* Effect.provideContext(slow.insert(seed), other)
        for (const [i, group] of groupsOf(seed).entries()) {
          const results = yield* fast.run(group)
          expect({ seed, i, results }).toEqual({ seed, i, results: yield* slow.run(group) })
        }
        const found = yield* Effect.provideContext(dump, one)
        expect({ seed, found }).toEqual({ seed, found: yield* Effect.provideContext(dump, other) })
      }
      expect(slow.counts.decided).toBe(0)
      // All paths are taken often.
      expect(fast.counts.decidedAlone).toBeGreaterThan(seeds * 6)
      expect(fast.counts.decided).toBeGreaterThan(fast.counts.left / 4)
      expect(fast.counts.left).toBeGreaterThan(fast.counts.decided / 10)
      const states = yield* Effect.provideContext(query("SELECT DISTINCT state FROM calls ORDER BY state"), one)
      expect(states.map(({ state }) => state)).toEqual(
        ["open", "refused", "released", "replayed", "running", "settled", "unknown"].toSorted()
      )
      const audit = yield* Effect.provideContext(Audit.run, one)
      // The commands come without what a gateway checks before: that a key exists, and which tasks there are.
      const differences = audit.differences.filter(({ stored, table }) => table !== "tasks" && stored !== "no key")
      expect(differences).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto)),
  600_000
)

const call = (name: string): Reservation => ({
  call: name,
  account: "a0",
  key: "k1.0",
  operation: "rerank",
  amount: micro(1n),
  createdAt: 1,
  keepAnswer: true
})

const reserveAndEnd = (name: string): ReadonlyArray<ReadonlyArray<Command>> => [
  [{ kind: "reserve", now: 1, reservation: call(name), idempotency: { id: name, payload: "", replay: true } }],
  [{ kind: "release", now: 1, reservation: call(name), status: 500 }]
]

it.effect.runIf(hasPostgres)("a group is one round trip", () =>
  Effect.gen(function* () {
    const direct = new URL(Redacted.value(yield* migratedDatabase))
    const proxy = yield* Effect.acquireRelease(
      Effect.promise(() => pausedReplies(Number(direct.port))),
      ({ close }) => Effect.sync(close)
    )
    const address = Redacted.make(direct.href.replace(direct.port, String(proxy.port)))
    const context = yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 }))
    yield* Effect.gen(function* () {
      const { insert, run } = yield* runner
      yield* insert(0)
      const groups = [...reserveAndEnd("first"), ...reserveAndEnd("second"), ...reserveAndEnd("third")]
      for (const group of groups) yield* run(group)
      expect((yield* query("SELECT id FROM calls WHERE state = 'released'")).length).toBe(3)
      proxy.holdUntil([])
      yield* run(reserveAndEnd("fourth")[0]!)
      // One statement, with no BEGIN and no COMMIT around it.
      expect(proxy.sent()).toBe(1)
    }).pipe(Effect.provideContext(context))
  }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))
)

it.effect.runIf(hasPostgres)("no group scans a table, also if the tables were empty when the plans were made", () =>
  Effect.gen(function* () {
    const address = yield* migratedDatabase
    const context = yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 }))
    yield* Effect.gen(function* () {
      const { insert, run } = yield* runner
      const scans = Effect.andThen(
        query("SELECT pg_stat_force_next_flush()"),
        query("SELECT relname, seq_scan FROM pg_stat_user_tables ORDER BY relname")
      )
      yield* insert(0)
      const before = yield* scans
      for (let i = 0; i < 10; i++) for (const group of reserveAndEnd(`call${i}`)) yield* run(group)
      expect((yield* query("SELECT id FROM calls WHERE id = 'call9' AND state = 'released'")).length).toBe(1)
      expect(yield* scans).toEqual(before)
    }).pipe(Effect.provideContext(context))
  }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))
)

const settleGroup = (names: ReadonlyArray<string>): ReadonlyArray<Command> =>
  names.map((name) => ({
    kind: "settle",
    now: 1,
    reservation: call(name),
    settled: {
      settlement: { value: micro(1n), charged: micro(1n), chargedNano: fromMicros(micro(1n)) },
      costState: "settled",
      answer: { status: 200, contentType: undefined, bytes: new Uint8Array() },
      evidence: "{}",
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
    }
  }))

it.live.runIf(hasPostgres)("a group that is sent again while the first is still carried out charges once", () =>
  Effect.gen(function* () {
    const address = yield* migratedDatabase
    const connect = Layer.build(PostgresClient.layer({ address, maxConnections: 2 }))
    const [first, second, third] = [yield* connect, yield* connect, yield* connect]
    const sql = Context.get(third, SqlClient)
    const one = yield* Effect.provideContext(runner, first)
    const two = yield* Effect.provideContext(runner, second)
    yield* Effect.provideContext(one.insert(0), first)
    const names = ["x", "y"]
    for (const name of names) yield* one.run(reserveAndEnd(name)[0]!)

    const waiting = (count: number) =>
      until(
        query(
          "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        ),
        ([row]) => row?.["n"] === count
      )
    const bothSent = Effect.gen(function* () {
      yield* sql`SELECT id FROM accounts WHERE id = 'a0' FOR UPDATE`
      const earlier = yield* Effect.forkScoped(one.run(settleGroup(names)))
      yield* waiting(1)
      const later = yield* Effect.forkScoped(two.run(settleGroup(names)))
      yield* waiting(2)
      return [earlier, later]
    })
    const fibers = yield* sql.withTransaction(bothSent).pipe(Effect.provideContext(third))
    const [earlier, later] = yield* Effect.forEach(fibers, Fiber.join)
    expect(later).toEqual(earlier)
    const [account] = yield* Effect.provideContext(
      query("SELECT balance, reserved FROM accounts WHERE id = 'a0'"),
      first
    )
    expect(account).toEqual({ balance: 2_998, reserved: 0 })
    expect((yield* Effect.provideContext(Audit.run, first)).differences).toEqual([])
  }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))
)
