import type { SqlError } from "effect/sql/SqlError"
import { isRaised } from "../../store/isRaised.ts"
import { functionName, leftState } from "../../store/migrations/0022_commit_function.ts"
import { type Row, text } from "../../store/rows.ts"
import type { Statement, Value } from "../../store/statements.ts"
import { Balances } from "../../ledger/Balances.ts"
import { transitionColumns, transitionRow } from "../callRows.ts"
import type { Command, Result } from "../../ledger/Command.ts"
import type { Watch } from "../../ledger/LedgerEvent.ts"
import { claimMillis } from "../reserve.ts"
import { answerToStore, type Applied, apply, openCall } from "../../ledger/Transition.ts"
import { booleans, integers, parseIntegers, texts } from "./arrays.ts"
import { type Ordinary, ordinaryOf } from "./ordinary.ts"
import { ownersOf } from "./owners.ts"

const ownerArrays = (commands: ReadonlyArray<Command>): ReadonlyArray<Value> => {
  const { accounts, keys } = ownersOf(commands)
  const sums = (owners: typeof keys): ReadonlyArray<Value> => [
    texts(owners.map(({ id }) => id)),
    integers(owners.map(({ reserved }) => reserved)),
    integers(owners.map(({ charged }) => charged)),
    booleans(owners.map(({ paid }) => paid))
  ]
  return [
    ...sums(accounts),
    ...sums(keys),
    texts(keys.map(({ account }) => account)),
    integers(keys.map(({ first }) => first)),
    integers(keys.map(({ day }) => day)),
    integers(keys.map(({ month }) => month))
  ]
}

/** An ordinary end charges the key in the period in force: no time of its own is recorded. The cap does not change. */
const isSent = (name: string): boolean => name !== "quota_at" && name !== "cap"

const endArrays = (ends: ReadonlyArray<Applied>): ReadonlyArray<Value> => {
  const reservations = ends.map(({ transition }) => transition.reservation)
  const rows = ends.map(transitionRow)
  return [
    texts(reservations.map(({ account }) => account)),
    texts(reservations.map(({ key }) => key)),
    integers(reservations.map(({ amount }) => amount)),
    ...transitionColumns.flatMap(([name, type], i) => {
      if (!isSent(name)) return []
      const column = rows.map((row) => row[i])
      return [type === "TEXT" ? texts(column as Array<string | null>) : integers(column as Array<bigint | null>)]
    })
  ]
}

const answerArrays = (ends: ReadonlyArray<Applied>): ReadonlyArray<Value> => {
  const answers = ends.flatMap(({ transition }, i) => {
    const answer = answerToStore(transition)
    return answer === undefined ? [] : [{ at: i + 1, call: transition.reservation.call, ...answer }]
  })
  const bodies = new Uint8Array(answers.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let length = 0
  const starts = answers.map(({ bytes }) => {
    bodies.set(bytes, length)
    length += bytes.length
    return length - bytes.length + 1
  })
  return [
    integers(answers.map(({ at }) => at)),
    texts(answers.map(({ call }) => call)),
    integers(answers.map(({ status }) => status)),
    texts(answers.map(({ contentType }) => contentType)),
    integers(starts),
    integers(answers.map(({ bytes }) => bytes.length)),
    bodies
  ]
}

const reserveArrays = (reserves: Ordinary["reserves"]): ReadonlyArray<Value> => {
  const reservations = reserves.map(({ command }) => command.reservation)
  const claims = reserves.flatMap(({ command: { idempotency, now, reservation } }, i) =>
    idempotency === undefined ? [] : [{ ...idempotency, at: i + 1, call: reservation.call, endsAt: now + claimMillis }]
  )
  return [
    texts(reservations.map(({ call }) => call)),
    texts(reservations.map(({ account }) => account)),
    texts(reservations.map(({ key }) => key)),
    texts(reservations.map(({ operation }) => operation)),
    texts(reservations.map(({ model }) => model)),
    texts(reservations.map(({ tags }) => tags)),
    integers(reservations.map(({ amount }) => amount)),
    integers(reservations.map(({ cap }) => cap)),
    integers(reservations.map(({ createdAt }) => createdAt)),
    texts(reserves.map(({ command }) => command.idempotency?.id)),
    integers(claims.map(({ at }) => at)),
    texts(claims.map(({ id }) => id)),
    texts(claims.map(({ payload }) => payload)),
    texts(claims.map(({ call }) => call)),
    integers(claims.map(({ endsAt }) => endsAt))
  ]
}

/** The ordinary commands of a group, which the store decides and commits in one statement. */
export interface Group {
  /** Fails and writes nothing if `owner` is not registered, unless it is alone. */
  readonly statement: (owner: string, isAlone: boolean) => Statement
  /** Reads the statement's row. A command without a result was left untouched. */
  readonly results: (row: Row) => ReadonlyArray<Result | undefined>
}

/** Whether the store has left all commands untouched. */
export const isLeft = (error: SqlError): boolean => isRaised(error, leftState)

/** Built once: the driver finds a prepared statement faster by the same string. */
let statementText = ""
const textWith = (parameters: number): string =>
  (statementText ||= `SELECT * FROM ${functionName}(${Array.from({ length: parameters }, (_, i) => `$${i + 1}`).join(", ")})`)

/** `undefined`: no command of the group is ordinary. */
export const commitGroup = (commands: ReadonlyArray<Command>, watch?: Watch): Group | undefined => {
  const { ends, reserves } = ordinaryOf(commands, watch)
  if (ends.length === 0 && reserves.length === 0) return undefined
  // What an end charges does not depend on balances: these stay empty.
  const balances = new Balances()
  const applied = ends.map(({ command }) => apply(balances, new Map(), command, openCall(command.reservation)))
  const isWhole = ends.length + reserves.length === commands.length
  const arrays = [...ownerArrays(commands), ...endArrays(applied), ...answerArrays(applied), ...reserveArrays(reserves)]
  return {
    statement: (owner, isAlone) => ({
      text: textWith(arrays.length + 3),
      values: [owner, isAlone ? "t" : "f", isWhole ? "t" : "f", ...arrays]
    }),
    results: (row) => {
      const results = Array<Result | undefined>(commands.length).fill(undefined)
      ends.forEach(({ at }, i) => void (results[at] = applied[i]!.after.charge))
      reserves.forEach(({ at, command }) => void (results[at] = { kind: "reserved", reservation: command.reservation }))
      for (const position of parseIntegers(text(row, "t_left"))) results[ends[position - 1]!.at] = undefined
      for (const position of parseIntegers(text(row, "r_left"))) results[reserves[position - 1]!.at] = undefined
      return results
    }
  }
}
