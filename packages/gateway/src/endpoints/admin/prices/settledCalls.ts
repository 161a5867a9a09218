import { micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import type * as Rows from "@tollgate/ledger/store/rows"
import { amount, amountOrNull, number, type Row, text } from "@tollgate/ledger/store/rows"
import type { Window } from "@tollgate/ledger/usage/Query"
import { readEvidence } from "./evidence.ts"
import type { RecordedCall } from "./recorded.ts"

export interface SettledCall extends RecordedCall {
  readonly value: bigint
  readonly charged: bigint
}

const page = 500
const columns = "id, operation, state, value, charged, cap, evidence, created_at, ended_at"

/** Continue after this time, and at this time after this id. */
type Cursor = readonly [at: number, id: string]

const settledCallOf = (row: Row, multiplier: bigint): SettledCall => {
  const cap = amountOrNull(row, "cap")
  return {
    operation: text(row, "operation"),
    at: number(row, "created_at"),
    value: amount(row, "value"),
    charged: amount(row, "charged"),
    cap: cap === null ? undefined : micro(cap),
    ...readEvidence(row.evidence === null ? null : text(row, "evidence")),
    multiplier
  }
}

/** The settled calls that ended in the window, one account after the other: the index on time starts with the account. */
export const settledCalls = (rows: Rows.Rows, { end, start }: Window): Stream.Stream<SettledCall, SqlError> => {
  // Pages are of all calls: one of settled calls alone could read any number of others.
  const ofAccount = (account: string, multiplier: bigint) =>
    Stream.paginate<Cursor, SettledCall, SqlError>([start, ""], ([at, id]) => {
      const statement =
        `SELECT ${columns} FROM calls WHERE account = ${rows.mark(1)}` +
        ` AND ended_at >= ${rows.mark(2)} AND ended_at < ${rows.mark(3)}` +
        ` AND (ended_at, id) > (${rows.mark(4)}, ${rows.mark(5)}) ORDER BY ended_at, id LIMIT ${page}`
      const found = Effect.map(rows.run(statement, [account, at, end, at, id]), (rows) => {
        const last = rows.length < page ? undefined : rows.at(-1)
        const next = last && ([number(last, "ended_at"), text(last, "id")] as const)
        const settled = rows.filter((row) => row.state === "settled")
        return [settled.map((row) => settledCallOf(row, multiplier)), Option.fromUndefinedOr(next)] as const
      })
      // A page may take milliseconds, and the gateway serves calls in between.
      return Effect.andThen(Effect.yieldNow, found)
    })
  return Stream.fromIterableEffect(rows.run("SELECT id, multiplier FROM accounts ORDER BY id", [])).pipe(
    Stream.flatMap((account) => ofAccount(text(account, "id"), amount(account, "multiplier")))
  )
}
