import type { SqlError } from "effect/sql/SqlError"
import { Balances } from "../../ledger/Balances.ts"
import type { Command, Result } from "../../ledger/Command.ts"
import type { Watch } from "../../ledger/LedgerEvent.ts"
import { apply, openCall } from "../../ledger/Transition.ts"
import { isRaised } from "../../store/describeSqlError.ts"
import { type Row, text } from "../../store/rows.ts"
import type { Statement } from "../../store/statements.ts"
import { ordinaryOf } from "./ordinary.ts"
import { ownersOf } from "./owners.ts"
import { argumentsOf, declared } from "./parameters.ts"

/** The ordinary commands of a group, which the store decides and commits in one statement. */
interface OrdinaryGroup {
  /** Fails and writes nothing if `owner` is not registered, unless it is alone. */
  readonly statement: (owner: string, isAlone: boolean) => Statement
  /** Reads the statement's row. A command without a result was left untouched. */
  readonly results: (row: Row) => ReadonlyArray<Result | undefined>
}

/** Whether the store has left all commands untouched. */
export const isLeft = (error: SqlError): boolean => isRaised(error, "TG002")

/** One string: the driver finds a prepared statement faster by it. */
const call = `SELECT * FROM commit_commands(${declared.map((_, i) => `$${i + 1}`).join(", ")})`

/** The positions in an array of PostgreSQL. */
const positionsIn = (array: string): ReadonlyArray<number> =>
  array === "{}" ? [] : array.slice(1, -1).split(",").map(Number)

/** `undefined`: no command of the group is ordinary. */
export const commitGroup = (commands: ReadonlyArray<Command>, watch?: Watch): OrdinaryGroup | undefined => {
  const { ends, reserves } = ordinaryOf(commands, watch)
  if (ends.length === 0 && reserves.length === 0) return undefined
  // What an end charges does not depend on balances: these stay empty.
  const balances = new Balances()
  const applied = ends.map(({ command }) => apply(balances, new Map(), command, openCall(command.reservation)))
  const values = argumentsOf({
    ...ownersOf(commands),
    ends: applied,
    reserves: reserves.map(({ command }) => command),
    isWhole: ends.length + reserves.length === commands.length
  })
  return {
    statement: (owner, isAlone) => ({ text: call, values: values(owner, isAlone) }),
    results: (row) => {
      const results = Array<Result | undefined>(commands.length).fill(undefined)
      ends.forEach(({ at }, i) => void (results[at] = applied[i]!.after.charge))
      reserves.forEach(({ at, command }) => void (results[at] = { kind: "reserved", reservation: command.reservation }))
      for (const position of positionsIn(text(row, "t_left"))) results[ends[position - 1]!.at] = undefined
      for (const position of positionsIn(text(row, "r_left"))) results[reserves[position - 1]!.at] = undefined
      return results
    }
  }
}
