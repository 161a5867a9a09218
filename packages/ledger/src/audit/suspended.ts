import { micro, type BigMicroUsd } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import type * as Rows from "../store/rows.ts"
import { amount, number, type Row, text } from "../store/rows.ts"

/** A call without a known cost: it has not ended, or nobody knows how. */
export interface Suspended {
  readonly id: string
  readonly account: string
  readonly key: string
  readonly operation: string
  readonly reserved: BigMicroUsd
  readonly createdAt: number
}

/** A call that runs as a task. */
export interface Running extends Suspended {
  readonly task: string
  readonly provider: string
  /** As of the last poll. */
  readonly status: string
}

const suspendedOf = (row: Row): Suspended => ({
  id: text(row, "id"),
  account: text(row, "account"),
  key: text(row, "key"),
  operation: text(row, "operation"),
  reserved: micro(amount(row, "reserved")),
  createdAt: number(row, "created_at")
})

export const suspended = (rows: ReturnType<typeof Rows.make>) =>
  Effect.map(
    rows.run(
      "SELECT id, account, key, operation, state, reserved, created_at FROM calls" +
        " WHERE state IN ('open', 'unknown') ORDER BY created_at, id",
      []
    ),
    (found) => (state: "open" | "unknown") => found.filter((row) => text(row, "state") === state).map(suspendedOf)
  )

export const running = (rows: ReturnType<typeof Rows.make>) =>
  Effect.map(
    rows.run(
      "SELECT c.id, c.account, c.key, c.operation, c.reserved, c.created_at, t.id AS task, t.provider, t.status" +
        " FROM calls c JOIN tasks t ON t.call = c.id WHERE c.state = 'running' ORDER BY c.created_at, c.id",
      []
    ),
    (found) =>
      found.map((row): Running => ({
        ...suspendedOf(row),
        task: text(row, "task"),
        provider: text(row, "provider"),
        status: text(row, "status")
      }))
  )
