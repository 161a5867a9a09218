import { type Command, type Take, type Answer, LimitStore, LimitStoreError } from "../shared/Command.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Fleet } from "@tollgate/ledger/fleet/Fleet"
import { number, readerOf, type Row, text } from "@tollgate/ledger/store/rows"

// The function `tollgate_limits` has these numbers too.

/** How many numbers an answer has. A command has nine. */
const answerWidth = 5

/** What a command is. */
const opcodes = { take: 0, end: 1, endAndCorrect: 2 } as const

/** In place of a number that a command does not have. */
const none = -1
/** In place of the most leases: they are only counted. */
const countOnly = -2

/** A position for each distinct text, from 1. */
class Positions {
  readonly #positions = new Map<string, number>()

  of(text: string): number {
    const known = this.#positions.get(text)
    if (known !== undefined) return known
    this.#positions.set(text, this.#positions.size + 1)
    return this.#positions.size
  }
}

const mostOf = ({ lease }: Take): number =>
  lease === undefined ? none : lease.id === undefined ? countOnly : lease.most

/** The arguments of `tollgate_limits` after the time and the gateway. */
export const encode = (commands: ReadonlyArray<Command>): ReadonlyArray<unknown> => {
  const keys = [...new Set(commands.map(({ key }) => key))].toSorted()
  const keyPositions = new Positions()
  for (const key of keys) keyPositions.of(key)
  const groups = new Positions()
  const groupKeys: Array<string> = []
  const groupIds: Array<string> = []
  const numbers: Array<number> = []
  const leases: Array<string> = []
  for (const command of commands) {
    const key = keyPositions.of(command.key)
    if (command.kind === "end") {
      const { correction, lease, rpm, tpm } = command
      const opcode = correction === undefined ? opcodes.end : opcodes.endAndCorrect
      numbers.push(opcode, key, 0, rpm, tpm, 0, 0, correction ?? 0, none)
      leases.push(lease ?? "")
      continue
    }
    const { group, rpm, tpm } = command
    let position = 0
    if (group !== undefined) {
      position = groups.of(`${key} ${group.id}`)
      if (position > groupKeys.length) {
        groupKeys.push(command.key)
        groupIds.push(group.id)
      }
    }
    const { lease, request, tokens } = command
    numbers.push(opcodes.take, key, position, rpm, tpm, group?.rpm ?? 0)
    numbers.push(request ? 1 : 0, tokens ?? none, mostOf(command))
    leases.push(lease?.id ?? "")
  }
  return [keys, groupKeys, groupIds, `{${numbers.join(",")}}`, leases]
}

export const sweepEveryMillis = 60_000

/** The time that is given, or that of the database. */
const now = "coalesce($1::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)"

/** Leases of gateways that are gone, and those that nobody ended in a day. */
const sweepLeases = `
  DELETE FROM limit_leases l
  WHERE l.expires_at < ${now} - 86400000 OR NOT EXISTS (SELECT FROM gateways g WHERE g.id = l.gateway)`

const isFull = (limit: string, used: string, at: string): string =>
  `${used} <= ${limit} * least(greatest(0, ${now} - ${at}), 3600000)`

/** Keys without leases that are full again: a new row would behave the same. */
const sweepKeys = `
  WITH idle AS (
    SELECT key FROM limit_keys k
    WHERE greatest(requests_at, tokens_at) < ${now} - 120000
      AND ${isFull("rpm", "requests_used", "requests_at")}
      AND ${isFull("tpm", "tokens_used", "tokens_at")}
      AND NOT EXISTS (SELECT FROM limit_leases l WHERE l.key = k.key)
    LIMIT 10000
    FOR UPDATE SKIP LOCKED
  ), groups AS (DELETE FROM limit_groups g USING idle WHERE g.key = idle.key)
  DELETE FROM limit_keys k USING idle WHERE k.key = idle.key`

export interface Options {
  /** In place of the time of the database, for tests. */
  readonly now?: () => number
}

const call =
  "SELECT v_now AS now, answers FROM tollgate_limits($1::bigint, $2, $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[])"

const failure = ({ reason }: SqlError) => new LimitStoreError({ message: reason.message ?? reason._tag })

/** `{1,2,3}` */
const numbersIn = (list: string): ReadonlyArray<number> => list.slice(1, -1).split(",").map(Number)

const answersIn = (row: Row | undefined, count: number): ReadonlyArray<Answer> => {
  if (row === undefined || count === 0) return []
  const now = number(row, "now")
  const numbers = numbersIn(text(row, "answers"))
  return Array.from({ length: count }, (_, i) => {
    const at = i * answerWidth
    return {
      now,
      isGranted: numbers[at] === 1,
      requestsUsed: numbers[at + 1]!,
      tokensUsed: numbers[at + 2]!,
      groupUsed: numbers[at + 3]!,
      running: numbers[at + 4]!
    }
  })
}

const groupOf = readerOf({ id: text, limit: number, used: number, at: number })

const make = Effect.fnUntraced(function* ({ now }: Options) {
  const sql = yield* SqlClient
  const fleet = yield* Fleet

  const time = () => now?.() ?? null

  const sweep = Effect.suspend(() => Effect.andThen(sql.unsafe(sweepLeases, [time()]), sql.unsafe(sweepKeys, [time()])))
  yield* Effect.ignore(sweep).pipe(Effect.delay(sweepEveryMillis), Effect.repeat(Schedule.forever), Effect.forkScoped)

  return LimitStore.of({
    run: (commands) =>
      Effect.suspend(() => sql.unsafe<Row>(call, [time(), fleet.owner(), ...encode(commands)])).pipe(
        // Two that create the same keys may lock each other once.
        Effect.retry({ times: 1, while: ({ reason }) => reason._tag === "DeadlockError" }),
        Effect.mapBoth({ onFailure: failure, onSuccess: ([row]) => answersIn(row, commands.length) })
      ),
    groups: (key) =>
      Effect.mapBoth(sql<Row>`SELECT id, rpm AS "limit", used, at FROM limit_groups WHERE key = ${key} ORDER BY id`, {
        onFailure: failure,
        onSuccess: (rows) => rows.map(groupOf)
      })
  })
})

/** Limits in unlogged tables of PostgreSQL, by its time. A lease counts while its gateway is in the fleet. */
export const layer = (options: Options = {}): Layer.Layer<LimitStore, never, SqlClient | Fleet> =>
  Layer.effect(LimitStore, make(options))
