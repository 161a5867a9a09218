import { micro } from "@tollgate/contract/Money"
import * as Schema from "effect/Schema"
import { openedValues, place, readEnded, readOpened, type Values, write } from "../../ledger/callColumns.ts"
import type { Command } from "../../ledger/Command.ts"
import type { Reservation } from "../../ledger/Reservation.ts"

/** The journal takes commands without a task. Those with one go straight into the tables. */
export const areJournaled = (commands: ReadonlyArray<Command>): boolean => {
  for (const command of commands) {
    if (command.kind === "begin" || ("task" in command && command.task !== undefined)) return false
  }
  return true
}

/** What a command did to its call. A replay opens one and ends it. */
export interface Entry {
  readonly now: number
  /** Of an end: only the call, who pays it, and the amount. */
  readonly reservation: Reservation
  readonly opened: Values | undefined
  readonly ended: Values | undefined
}

// The format on disk. Flat lists instead of objects, because every call writes one and only a crash makes anyone read it.
const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Number]))
const Line = Schema.Union([
  Schema.TupleWithRest(Schema.Tuple([Schema.Literal("o"), Schema.Number]), [Value]),
  Schema.TupleWithRest(
    Schema.Tuple([Schema.Literal("e"), Schema.Number, Schema.String, Schema.String, Schema.BigIntFromString]),
    [Value]
  ),
  Schema.Tuple([Schema.Literal("oe"), Schema.Number, Schema.Array(Value), Schema.Array(Value)])
])
const decodeLines = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Line)))

const lineOf = ({ ended, now, opened, reservation }: Entry): ReadonlyArray<unknown> => {
  if (opened === undefined) {
    const { account, amount, key } = reservation
    return write(["e", now, account, key, String(amount)], ended)
  }
  return ended === undefined ? write(["o", now], opened) : ["oe", now, write([], opened), write([], ended)]
}

const entryOf = (line: (typeof Line)["Type"]): Entry => {
  if (line[0] === "e") {
    const [, now, account, key, amount, ...written] = line
    const ended = readEnded(written)
    const call = String(ended[place.id])
    const reservation = { call, account, key, operation: "", amount: micro(amount), createdAt: 0, keepAnswer: false }
    return { now, reservation, opened: undefined, ended }
  }
  const [, now] = line
  const reservation = readOpened(line[0] === "o" ? line.slice(2) : line[2])
  return {
    now,
    reservation,
    opened: openedValues(reservation),
    ended: line[0] === "o" ? undefined : readEnded(line[3])
  }
}

/** One line for a group of commands. Answers and idempotency claims are in their own tables already. */
export const encode = (entries: ReadonlyArray<Entry>): string => JSON.stringify(entries.map(lineOf))

export const decode = (text: string): ReadonlyArray<Entry> => decodeLines(text).map(entryOf)
