import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { gapsIn } from "../ledger/recorded.ts"
import { number, type Rows, text, textOrNull, whole } from "../store/rows.ts"

/** Calls of the same operation and model that used the same things without a price. */
export interface CallsWithGaps {
  readonly operation: string
  readonly model: string | null
  readonly names: ReadonlyArray<string>
  readonly calls: number
  readonly firstAt: number
  readonly lastAt: number
  readonly charged: BigMicroUsd
  /** The request id of one of them, and what its charge is based on. */
  readonly example: string
  readonly evidence: string | null
}

const window = 30 * 86_400_000
/** An upstream can make up names. Those of the most calls are listed. */
const most = 1_000

/** The gaps of calls that ended in the last 30 days. */
export const recordedGaps = Effect.fnUntraced(function* ({ mark, run }: Rows) {
  const rows = yield* run(
    "SELECT g.*, c.evidence FROM (SELECT operation, model, gaps, COUNT(*) AS calls, MIN(ended_at) AS first_at," +
      " MAX(ended_at) AS last_at, SUM(charged) AS charged, MAX(id) AS example" +
      ` FROM calls WHERE gaps IS NOT NULL AND ended_at >= ${mark(1)}` +
      ` GROUP BY operation, model, gaps ORDER BY calls DESC, example LIMIT ${most}) AS g` +
      " JOIN calls c ON c.id = g.example ORDER BY g.calls DESC, g.example",
    [(yield* Clock.currentTimeMillis) - window]
  )
  return rows.map((row): CallsWithGaps => ({
    operation: text(row, "operation"),
    model: textOrNull(row, "model"),
    names: gapsIn(text(row, "gaps")),
    calls: number(row, "calls"),
    firstAt: Number(whole(row, "first_at") ?? 0),
    lastAt: Number(whole(row, "last_at") ?? 0),
    charged: micro(whole(row, "charged") ?? 0n),
    example: text(row, "example"),
    evidence: textOrNull(row, "evidence")
  }))
})
