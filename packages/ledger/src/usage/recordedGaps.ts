import { micro } from "@tollgate/contract/Money"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { gapsIn } from "../ledger/recorded.ts"
import { number, readerOf, type Row, type Rows, text, textOrNull, whole } from "../store/rows.ts"

/** An audit names what is no number, and goes on. */
const wholeOrZero = (row: Row, name: string): bigint => whole(row, name) ?? 0n
const time = (row: Row, name: string): number => Number(wholeOrZero(row, name))

const callsIn = readerOf({
  operation: text,
  model: textOrNull,
  names: (row) => gapsIn(text(row, "gaps")),
  calls: number,
  firstAt: time,
  lastAt: time,
  charged: (row, name) => micro(wholeOrZero(row, name)),
  /** The request id of one of them, and what its charge is based on. */
  example: text,
  evidence: textOrNull
})

/** Calls of the same operation and model that used the same things without a price. */
export type CallsWithGaps = ReturnType<typeof callsIn>

const window = 30 * 86_400_000
/** An upstream can make up names. Those of the most calls are listed. */
const most = 1_000

/** The gaps of calls that ended in the last 30 days. */
export const recordedGaps = Effect.fnUntraced(function* ({ query }: Rows) {
  const since = (yield* Clock.currentTimeMillis) - window
  const rows = yield* query`SELECT g.*, c.evidence FROM (
      SELECT operation, model, gaps, COUNT(*) AS calls, MIN(ended_at) AS first_at, MAX(ended_at) AS last_at,
        SUM(charged) AS charged, MAX(id) AS example
      FROM calls WHERE gaps IS NOT NULL AND ended_at >= ${since}
      GROUP BY operation, model, gaps ORDER BY calls DESC, example LIMIT ${most}
    ) AS g JOIN calls c ON c.id = g.example ORDER BY g.calls DESC, g.example`
  return rows.map(callsIn)
})
