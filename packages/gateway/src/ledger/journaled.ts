import { micro, nano } from "@tollgate/contract/Money"
import * as Schema from "effect/Schema"
import type { Ask, Command } from "./Command.ts"
import type { StoredAnswer } from "./Ledger.ts"

/** What can be written into the journal: all that concerns calls alone. What concerns a task goes into the tables at once. */
export type Journaled = Ask<"reserve" | "settle" | "release" | "hold" | "write_off">

export const areJournaled = (commands: ReadonlyArray<Command>): commands is ReadonlyArray<Journaled> =>
  commands.every((command) => command.ask !== "begin" && !("task" in command && command.task !== undefined))

/** It is in its own table by then, and can be long. */
export const withoutAnswer = (command: Journaled): Journaled =>
  command.ask === "settle"
    ? { ...command, settled: { ...command.settled, answer: bare(command.settled.answer.status) } }
    : command

const bare = (status: number): StoredAnswer => ({ status, contentType: undefined, bytes: nothing })
const nothing = new Uint8Array()

const Amount = Schema.BigIntFromString
const call = [Schema.String, Schema.String, Schema.String, Amount, Schema.Number] as const

// Positions and not names: they are written for every call, and read after a crash.
const Line = Schema.Union([
  Schema.Tuple([Schema.Literal("reserve"), ...call, Schema.String, Schema.Number]),
  Schema.Tuple([
    Schema.Literal("settle"),
    ...call,
    Schema.Number,
    Amount,
    Amount,
    Amount,
    Schema.Literals(["settled", "estimated"]),
    Schema.String,
    Schema.Number,
    Schema.Number,
    Schema.Number,
    Schema.Number
  ]),
  Schema.Tuple([Schema.Literal("release"), ...call, Schema.Number]),
  Schema.Tuple([Schema.Literals(["hold", "write_off"]), ...call])
])
const decodeLines = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Line)))

const lineOf = (command: Journaled): (typeof Line)["Encoded"] => {
  const { ask, now, reservation } = command
  const { account, amount, call, createdAt, key, operation } = reservation
  const set = String(amount)
  switch (ask) {
    case "reserve":
      return [ask, call, account, key, set, now, operation, createdAt]
    case "settle": {
      const { answer, costState, evidence, settlement, usage } = command.settled
      const { charged, chargedNano, value } = settlement
      const { cacheRead, cacheWrite, input, output } = usage
      return [
        ask,
        call,
        account,
        key,
        set,
        now,
        answer.status,
        String(value),
        String(charged),
        String(chargedNano),
        costState,
        evidence,
        input,
        output,
        cacheRead,
        cacheWrite
      ]
    }
    case "release":
      return [ask, call, account, key, set, now, command.status]
    default:
      return [ask, call, account, key, set, now]
  }
}

const commandOf = (line: (typeof Line)["Type"]): Journaled => {
  const [ask, call, account, key, set, now] = line
  const reservation = { call, account, key, operation: "", amount: micro(set), createdAt: 0, keepAnswer: false }
  switch (ask) {
    case "reserve": {
      const [, , , , , , operation, createdAt] = line
      return { ask, now, reservation: { ...reservation, operation, createdAt }, idempotency: undefined }
    }
    case "settle": {
      const [
        ,
        ,
        ,
        ,
        ,
        ,
        status,
        value,
        charged,
        chargedNano,
        costState,
        evidence,
        input,
        output,
        cacheRead,
        cacheWrite
      ] = line
      const settlement = { value: micro(value), charged: micro(charged), chargedNano: nano(chargedNano) }
      const usage = { input, output, cacheRead, cacheWrite }
      return { ask, now, reservation, settled: { settlement, costState, answer: bare(status), evidence, usage } }
    }
    case "release":
      return { ask, now, reservation, status: line[6] }
    default:
      return { ask, now, reservation }
  }
}

/** As one line of the journal, which holds no more than the tables want to know: answers and claims are in theirs already. */
export const encode = (commands: ReadonlyArray<Journaled>): string => JSON.stringify(commands.map(lineOf))

export const decode = (text: string): ReadonlyArray<Journaled> => decodeLines(text).map(commandOf)
