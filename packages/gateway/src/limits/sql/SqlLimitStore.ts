import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Fleet } from "../../books/fleet/Fleet.ts"
import { number, type Row, text } from "../../books/store/rows.ts"
import type { Answer } from "../shared/Command.ts"
import { LimitStore, LimitStoreError } from "../shared/LimitStore.ts"
import { encode } from "./encode.ts"
import { answerWidth } from "./encoding.ts"
import { sweepEveryMillis, sweepKeys, sweepLeases } from "./sweep.ts"

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
      Effect.mapBoth(sql.unsafe<Row>("SELECT id, rpm, used, at FROM limit_groups WHERE key = $1 ORDER BY id", [key]), {
        onFailure: failure,
        onSuccess: (rows) =>
          rows.map((row) => ({
            id: text(row, "id"),
            limit: number(row, "rpm"),
            used: number(row, "used"),
            at: number(row, "at")
          }))
      })
  })
})

/** Limits in unlogged tables of PostgreSQL, by its time. A lease counts while its gateway is in the fleet. */
export const layer = (options: Options = {}): Layer.Layer<LimitStore, never, SqlClient | Fleet> =>
  Layer.effect(LimitStore, make(options))
