import type { Command, CommandOf } from "../ledger/Command.ts"
import type { Statement, Statements } from "../store/statements.ts"

// In the transaction of the ledger's that these commands are carried out in.

const columns = [
  "id",
  "call",
  "account",
  "purse",
  "provider",
  "upstream",
  "price",
  "multiplier",
  "created_at",
  "status",
  "body"
]

export const recordBegun = (
  { insert }: Statements,
  commands: ReadonlyArray<CommandOf<"begin">>
): ReadonlyArray<Statement> =>
  insert(
    "tasks",
    columns,
    commands.map(({ begun, now, reservation: { account, call } }) => [
      begun.id,
      call,
      account,
      begun.purse,
      begun.provider,
      begun.upstream,
      begun.price,
      begun.multiplier,
      now,
      begun.status,
      begun.body
    ])
  )

/** Also where the call had ended before: then its task is over, too. */
export const recordEnded = ({ mark }: Statements, commands: ReadonlyArray<Command>): ReadonlyArray<Statement> =>
  commands.flatMap((command) => {
    const task = "task" in command ? command.task : undefined
    if (task === undefined) return []
    const text =
      `UPDATE tasks SET status = ${mark(1)}, body = ${mark(2)}, ended_at = ${mark(3)}, expires_at = ${mark(4)}` +
      ` WHERE id = ${mark(5)} AND ended_at IS NULL`
    return [{ text, values: [task.status, task.body, command.now, task.expiresAt, task.id] }]
  })
