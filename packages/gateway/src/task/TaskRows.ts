import { micro, nano } from "@tollgate/contract/Money"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Rows from "../store/rows.ts"
import { amount, number, type Row, text } from "../store/rows.ts"
import type { Running } from "./Task.ts"

const runningOf = (row: Row): Running => ({
  id: text(row, "id"),
  upstream: text(row, "upstream"),
  provider: text(row, "provider"),
  purse: text(row, "purse"),
  price: nano(amount(row, "price")),
  multiplier: amount(row, "multiplier"),
  // Written by this gateway, from what it had decoded.
  status: text(row, "status") as TaskStatus,
  body: text(row, "body"),
  createdAt: number(row, "created_at"),
  reservation: {
    call: text(row, "call"),
    account: text(row, "account"),
    key: text(row, "key"),
    operation: text(row, "operation"),
    amount: micro(amount(row, "reserved")),
    createdAt: number(row, "called_at"),
    keepAnswer: false
  }
})

const select =
  "SELECT t.*, c.key, c.operation, c.reserved, c.created_at AS called_at FROM tasks t JOIN calls c ON c.id = t.call"

export type Found =
  | { readonly kind: "running"; readonly task: Running }
  | { readonly kind: "ended"; readonly body: string }

/** The tasks that are known. They begin and end in the ledger's own commits. */
export const make = ({ mark, run }: Rows.Rows) => ({
  running: Effect.map(run(`${select} WHERE t.ended_at IS NULL`, []), (rows) => rows.map(runningOf)),

  /** The calls of a purse that are running as tasks. */
  callsOf: (purse: string) =>
    Effect.map(run(`SELECT call FROM tasks WHERE purse = ${mark(1)} AND ended_at IS NULL`, [purse]), (rows) =>
      rows.map((row) => text(row, "call"))
    ),

  find: (id: string, account: string, now: number) =>
    Effect.map(
      run(
        `${select} WHERE t.id = ${mark(1)} AND t.account = ${mark(2)}` +
          ` AND (t.expires_at IS NULL OR t.expires_at > ${mark(3)})`,
        [id, account, now]
      ),
      ([row]) =>
        Option.map(Option.fromUndefinedOr(row), (row): Found =>
          row["ended_at"] === null
            ? { kind: "running", task: runningOf(row) }
            : { kind: "ended", body: text(row, "body") }
        )
    ),

  note: (id: string, status: TaskStatus, body: string) =>
    run(`UPDATE tasks SET status = ${mark(1)}, body = ${mark(2)} WHERE id = ${mark(3)} AND ended_at IS NULL`, [
      status,
      body,
      id
    ])
})

export type TaskRows = ReturnType<typeof make>
