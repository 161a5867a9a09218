import { micro, nano } from "@tollgate/contract/Money"
import * as Schema from "effect/Schema"
import type { Command, CommandOf } from "../Command.ts"
import type { StoredAnswer } from "../StoredAnswer.ts"

/** The commands that the journal takes: those without a task. Commands with a task go straight into the tables. */
export type Journaled = CommandOf<"reserve" | "settle" | "release" | "mark_unknown" | "write_off">

export const areJournaled = (commands: ReadonlyArray<Command>): commands is ReadonlyArray<Journaled> =>
  commands.every((command) => command.kind !== "begin" && !("task" in command && command.task !== undefined))

/** The answer is in its own table by then, and can be large. */
export const withoutAnswer = (command: Journaled): Journaled =>
  command.kind === "settle"
    ? { ...command, settled: { ...command.settled, answer: withoutBody(command.settled.answer.status) } }
    : command

const withoutBody = (status: number): StoredAnswer => ({ status, contentType: undefined, bytes: noBytes })
const noBytes = new Uint8Array()

const Amount = Schema.BigIntFromString
const call = [Schema.String, Schema.String, Schema.String, Amount, Schema.Number] as const

// The format on disk. Tuples instead of objects, because every call writes one and only a crash makes anyone read it.
// `hold` is the stored name of `mark_unknown`.
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
  const { kind, now, reservation } = command
  const { account, amount, call, createdAt, key, operation } = reservation
  const reserved = String(amount)
  switch (kind) {
    case "reserve":
      return [kind, call, account, key, reserved, now, operation, createdAt]
    case "settle": {
      const { answer, costState, evidence, settlement, usage } = command.settled
      const { charged, chargedNano, value } = settlement
      const { cacheRead, cacheWrite, input, output } = usage
      return [
        kind,
        call,
        account,
        key,
        reserved,
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
      return [kind, call, account, key, reserved, now, command.status]
    case "mark_unknown":
      return ["hold", call, account, key, reserved, now]
    case "write_off":
      return [kind, call, account, key, reserved, now]
  }
}

const commandOf = (line: (typeof Line)["Type"]): Journaled => {
  const [kind, call, account, key, reserved, now] = line
  const reservation = { call, account, key, operation: "", amount: micro(reserved), createdAt: 0, keepAnswer: false }
  switch (kind) {
    case "reserve": {
      const [, , , , , , operation, createdAt] = line
      return { kind, now, reservation: { ...reservation, operation, createdAt }, idempotency: undefined }
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
      return {
        kind,
        now,
        reservation,
        settled: { settlement, costState, answer: withoutBody(status), evidence, usage }
      }
    }
    case "release":
      return { kind, now, reservation, status: line[6] }
    case "hold":
      return { kind: "mark_unknown", now, reservation }
    case "write_off":
      return { kind, now, reservation }
  }
}

/** One line for a group of commands. Answers and idempotency claims are in their own tables already. */
export const encode = (commands: ReadonlyArray<Journaled>): string => JSON.stringify(commands.map(lineOf))

export const decode = (text: string): ReadonlyArray<Journaled> => decodeLines(text).map(commandOf)
