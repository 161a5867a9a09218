import { micro } from "@tollgate/contract/Money"
import * as Schema from "effect/Schema"
import { openedValues, place, readEnded, readOpened, type Values, write } from "../../ledger/callColumns.ts"
import type { Command, CommandOf } from "../../ledger/Command.ts"
import type { Reservation } from "../../ledger/Reservation.ts"

/** The commands that the journal takes: those without a task. Commands with a task go straight into the tables. */
type Journaled = CommandOf<"reserve" | "settle" | "release" | "refuse" | "mark_unknown" | "replay">

export const areJournaled = (commands: ReadonlyArray<Command>): commands is ReadonlyArray<Journaled> =>
  commands.every((command) => command.kind !== "begin" && !("task" in command && command.task !== undefined))

/** What a command did to its call. A replay opens one and ends it. */
export interface Entry {
  readonly now: number
  /** Of an end: only the call, who pays it, and the amount. */
  readonly reservation: Reservation
  readonly opened: Values | undefined
  readonly ended: Values | undefined
}

// The format on disk. Lists instead of objects, because every call writes one and only a crash makes anyone read it.
const Row = Schema.Array(Schema.NullOr(Schema.Union([Schema.String, Schema.Number])))
const Line = Schema.Union([
  Schema.Tuple([Schema.Number, Row]),
  Schema.Tuple([Schema.Number, Row, Row]),
  Schema.Tuple([Schema.Number, Schema.String, Schema.String, Schema.BigIntFromString, Row])
])
const decodeLines = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Line)))

const lineOf = ({ ended, now, opened, reservation: { account, amount, key } }: Entry): (typeof Line)["Encoded"] => {
  if (opened === undefined) return [now, account, key, String(amount), write(ended ?? [])]
  return ended === undefined ? [now, write(opened)] : [now, write(opened), write(ended)]
}

const entryOf = (line: (typeof Line)["Type"]): Entry => {
  const [now] = line
  if (line.length === 5) {
    const [, account, key, amount, written] = line
    const ended = readEnded(written)
    const call = String(ended[place.id])
    const reservation = { call, account, key, operation: "", amount: micro(amount), createdAt: 0, keepAnswer: false }
    return { now, reservation, opened: undefined, ended }
  }
  const reservation = readOpened(line[1])
  return { now, reservation, opened: openedValues(reservation), ended: line[2] && readEnded(line[2]) }
}

/** One line for a group of commands. Answers and idempotency claims are in their own tables already. */
export const encode = (entries: ReadonlyArray<Entry>): string => JSON.stringify(entries.map(lineOf))

export const decode = (text: string): ReadonlyArray<Entry> => decodeLines(text).map(entryOf)
