import { micro, type BigMicroUsd, nano } from "@tollgate/contract/Money"
import * as Schema from "effect/Schema"
import type { Command, CommandOf } from "../../ledger/Command.ts"
import type { Settled } from "../../ledger/Settled.ts"
import type { StoredAnswer } from "../../ledger/StoredAnswer.ts"
import type { Applied } from "../../ledger/Transition.ts"

/** The commands that the journal takes: those without a task. Commands with a task go straight into the tables. */
export type Journaled = CommandOf<"reserve" | "settle" | "release" | "refuse" | "mark_unknown" | "replay">

export const areJournaled = (commands: ReadonlyArray<Command>): commands is ReadonlyArray<Journaled> =>
  commands.every((command) => command.kind !== "begin" && !("task" in command && command.task !== undefined))

/** The answer is in its own table by then, and can be large. */
export const withoutAnswer = (applied: Applied): Applied => {
  const { after, before, quotaAt, transition } = applied
  if (transition.kind !== "settle") return applied
  const settled = { ...transition.settled, answer: withoutBody(transition.settled.answer.status) }
  return { transition: { ...transition, settled }, before, after, quotaAt }
}

const withoutBody = (status: number): StoredAnswer => ({ status, contentType: undefined, bytes: noBytes })
const noBytes = new Uint8Array()

const Amount = Schema.BigIntFromString
const call = [Schema.String, Schema.String, Schema.String, Amount, Schema.Number] as const

// The format on disk. Tuples instead of objects, because every call writes one and only a crash makes anyone read it.
// What later versions added comes last, and the first version did not write it.
const Cap = Schema.optionalKey(Schema.NullOr(Amount))
const Failed = Schema.optionalKey(Schema.Number)
const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
/** The upstream that answered, and those that were tried. */
const upstreams = [Text, Text] as const
const Gaps = Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))
const Cost = Schema.optionalKey(Schema.NullOr(Amount))
const Line = Schema.Union([
  Schema.Tuple([Schema.Literal("reserve"), ...call, Schema.String, Schema.Number, Cap, Text, Text]),
  Schema.Tuple([Schema.Literal("replay"), ...call, Schema.String, Schema.Number, Text, Text]),
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
    Schema.Number,
    Cap,
    Failed,
    ...upstreams,
    Gaps,
    Cost,
    Text
  ]),
  Schema.Tuple([Schema.Literal("release"), ...call, Schema.Number, Cap, Failed, ...upstreams, Text]),
  Schema.Tuple([Schema.Literals(["mark_unknown", "refuse"]), ...call, Cap, ...upstreams, Text])
])
const decodeLines = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Line)))

/** Most calls have none of these. */
const rareOf = (gaps: Settled["gaps"], cost: Settled["cost"], error: string | undefined) => {
  if (error !== undefined) return [gaps ?? null, cost === undefined ? null : String(cost), error] as const
  if (cost !== undefined) return [gaps ?? null, String(cost)] as const
  return gaps === undefined ? ([] as const) : ([gaps] as const)
}

const failureOf = (error: string | undefined) => (error === undefined ? ([] as const) : ([error] as const))

const lineOf = (command: Journaled): (typeof Line)["Encoded"] => {
  const { error, kind, now, reservation, tried = null, upstream = null } = command
  const { account, amount, call, cap, createdAt, key, model = null, operation, tags } = reservation
  const reserved = String(amount)
  const most = cap === undefined ? null : String(cap)
  switch (kind) {
    case "reserve":
      return tags === undefined
        ? [kind, call, account, key, reserved, now, operation, createdAt, most, model]
        : [kind, call, account, key, reserved, now, operation, createdAt, most, model, tags]
    case "replay":
      return tags === undefined
        ? [kind, call, account, key, reserved, now, operation, createdAt, model]
        : [kind, call, account, key, reserved, now, operation, createdAt, model, tags]
    case "settle": {
      const { answer, cost, costState, evidence, failed, gaps, settlement, usage } = command.settled
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
        cacheWrite,
        most,
        failed === true ? 1 : 0,
        upstream,
        tried,
        ...rareOf(gaps, cost, error)
      ]
    }
    case "release":
      return [
        kind,
        call,
        account,
        key,
        reserved,
        now,
        command.status,
        most,
        command.failed === true ? 1 : 0,
        upstream,
        tried,
        ...failureOf(error)
      ]
    case "mark_unknown":
      return [kind, call, account, key, reserved, now, most, upstream, tried, ...failureOf(error)]
    case "refuse":
      return error === undefined
        ? [kind, call, account, key, reserved, now, most]
        : [kind, call, account, key, reserved, now, most, upstream, tried, error]
  }
}

const withCap = (cap: bigint | null | undefined): { readonly cap?: BigMicroUsd } =>
  cap === null || cap === undefined ? {} : { cap: micro(cap) }

const failedIf = (flag: number | undefined): { readonly failed?: boolean } => (flag === 1 ? { failed: true } : {})

const withModel = (model: string | null | undefined): { readonly model?: string } =>
  model === null || model === undefined ? {} : { model }

const withTags = (tags: string | null | undefined): { readonly tags?: string } =>
  tags === null || tags === undefined ? {} : { tags }

type Optional = string | null | undefined

const withAttempted = (upstream: Optional, tried: Optional, error: Optional) => ({
  ...(upstream === null || upstream === undefined ? {} : { upstream }),
  ...(tried === null || tried === undefined ? {} : { tried }),
  ...(error === null || error === undefined ? {} : { error })
})

const withPricing = (gaps: ReadonlyArray<string> | null | undefined, cost: bigint | null | undefined) => ({
  ...(gaps === null || gaps === undefined ? {} : { gaps }),
  ...(cost === null || cost === undefined ? {} : { cost: nano(cost) })
})

const commandOf = (line: (typeof Line)["Type"]): Journaled => {
  const [kind, call, account, key, reserved, now] = line
  const reservation = { call, account, key, operation: "", amount: micro(reserved), createdAt: 0, keepAnswer: false }
  switch (kind) {
    case "reserve": {
      const [, , , , , , operation, createdAt, cap, model, tags] = line
      return {
        kind,
        now,
        reservation: { ...reservation, ...withCap(cap), ...withModel(model), ...withTags(tags), operation, createdAt },
        idempotency: undefined
      }
    }
    case "replay": {
      const [, , , , , , operation, createdAt, model, tags] = line
      return {
        kind,
        now,
        reservation: { ...reservation, ...withModel(model), ...withTags(tags), operation, createdAt }
      }
    }
    case "settle": {
      const [, , , , , , status, value, charged, chargedNano, costState, evidence, ...rest] = line
      // The first version charged no more than was reserved, and wrote no cap.
      const [input, output, cacheRead, cacheWrite, cap = reserved, failed, upstream, tried, gaps, cost, error] = rest
      const settlement = { value: micro(value), charged: micro(charged), chargedNano: nano(chargedNano) }
      const usage = { input, output, cacheRead, cacheWrite }
      const answer = withoutBody(status)
      return {
        kind,
        now,
        reservation: { ...reservation, ...withCap(cap) },
        settled: { settlement, costState, answer, evidence, usage, ...failedIf(failed), ...withPricing(gaps, cost) },
        ...withAttempted(upstream, tried, error)
      }
    }
    case "release": {
      const [, , , , , , status, cap, failed, upstream, tried, error] = line
      return {
        kind,
        now,
        reservation: { ...reservation, ...withCap(cap) },
        status,
        ...failedIf(failed),
        ...withAttempted(upstream, tried, error)
      }
    }
    case "mark_unknown":
      return {
        kind,
        now,
        reservation: { ...reservation, ...withCap(line[6]) },
        ...withAttempted(line[7], line[8], line[9])
      }
    case "refuse":
      return {
        kind,
        now,
        reservation: { ...reservation, ...withCap(line[6]) },
        ...withAttempted(undefined, undefined, line[9])
      }
  }
}

/** One line for a group of commands. Answers and idempotency claims are in their own tables already. */
export const encode = (commands: ReadonlyArray<Journaled>): string => JSON.stringify(commands.map(lineOf))

export const decode = (text: string): ReadonlyArray<Journaled> => decodeLines(text).map(commandOf)
