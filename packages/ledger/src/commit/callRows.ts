import { micro, nano } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import { amount, numberOrNull, type Row, text, textOrNull } from "../store/rows.ts"
import type { Statement, Statements, Value } from "../store/statements.ts"
import { isFailed, usageOf } from "../ledger/CallUsage.ts"
import { capped } from "../ledger/capped.ts"
import { chargeFor } from "../ledger/chargeFor.ts"
import type { Command } from "../ledger/Command.ts"
import { encodeGaps } from "../ledger/RecordedGaps.ts"
import { headersText } from "../ledger/StoredAnswer.ts"
import { answerToStore, type Applied, type CallState, nextState, type Transition } from "../ledger/Transition.ts"
import * as UsageTotals from "../ledger/UsageTotals.ts"

/** The columns that are known when a call is reserved. The first three are also among `transitionColumns`. */
const openColumns = [
  "id",
  "state",
  "cap",
  "account",
  "key",
  "operation",
  "reserved",
  "created_at",
  "owner",
  "model",
  "tags"
]

/** The columns that a transition sets, after the id. */
export const transitionColumns = [
  ["id", "TEXT"],
  ["state", "TEXT"],
  ["cap", "BIGINT"],
  ["ended_at", "BIGINT"],
  ["status", "BIGINT"],
  ["value", "BIGINT"],
  ["charged", "BIGINT"],
  ["charged_nano", "BIGINT"],
  ["loss", "BIGINT"],
  ["loss_nano", "BIGINT"],
  ["failed", "BIGINT"],
  ["quota_at", "BIGINT"],
  ["cost_state", "TEXT"],
  ["evidence", "TEXT"],
  ["input_tokens", "BIGINT"],
  ["output_tokens", "BIGINT"],
  ["cache_read_tokens", "BIGINT"],
  ["cache_write_tokens", "BIGINT"],
  ["upstream", "TEXT"],
  ["tried", "TEXT"],
  ["gaps", "TEXT"],
  ["cost_nano", "BIGINT"],
  ["error", "TEXT"]
] as const

const zero = micro(0n)
const free = { charged: zero, chargedNano: nano(0n), loss: zero, lossNano: nano(0n) }
const noCharge: Charge = { state: "none" }

export const selectCalls = ({ byIds }: Statements, transitions: ReadonlyArray<Transition>): Statement | undefined =>
  transitions.length === 0
    ? undefined
    : byIds(
        "id, state, charged, cost_state, ended_at, operation, model, tags, upstream, tried",
        "calls",
        transitions.map(({ reservation }) => reservation.call)
      )

/** `commit_commands` writes calls before it locks their accounts. In another order two gateways that end a call could deadlock. */
export const lockCalls = ({ byIds }: Statements, transitions: ReadonlyArray<Transition>): Statement | undefined =>
  transitions.length === 0
    ? undefined
    : byIds(
        "id",
        "calls",
        transitions.map(({ reservation }) => reservation.call)
      )

/** The charge in the row of a settled call. */
export const settledCharge = (row: Row): Charge =>
  chargeFor(text(row, "cost_state") === "estimated" ? "estimated" : "settled", amount(row, "charged"))

/** The charge in the row of a call. */
export const chargeIn = (row: Row): Charge => {
  const state = text(row, "state")
  if (state === "settled") return settledCharge(row)
  return state === "running" ? { state: "pending" } : noCharge
}

const callStateOf = (row: Row): CallState => ({
  state: text(row, "state"),
  charge: chargeIn(row),
  endedAt: numberOrNull(row, "ended_at") ?? undefined,
  operation: text(row, "operation"),
  model: textOrNull(row, "model") ?? undefined,
  tags: textOrNull(row, "tags") ?? undefined,
  upstream: textOrNull(row, "upstream") ?? undefined,
  tried: textOrNull(row, "tried") ?? undefined
})

/** Adds the rows of `selectCalls`. */
export const addCalls = (calls: Map<string, CallState>, rows: ReadonlyArray<Row>): void => {
  for (const row of rows) calls.set(text(row, "id"), callStateOf(row))
}

export const openRow = ({ reservation }: Pick<Command, "reservation">, owner: string): ReadonlyArray<Value> => {
  const { account, amount, call, cap, createdAt, key, model, operation, tags } = reservation
  return [call, "open", cap ?? null, account, key, operation, amount, createdAt, owner, model ?? null, tags ?? null]
}

const statusOf = (transition: Transition): number | null => {
  if (transition.kind === "settle") return transition.settled.answer.status
  return transition.kind === "release" ? transition.status : null
}

export const transitionRow = ({ after, quotaAt, transition }: Applied): Array<Value> => {
  const { call, cap } = transition.reservation
  const settled = transition.kind === "settle" ? transition.settled : undefined
  const { charged, chargedNano, loss, lossNano } = settled === undefined ? free : capped(settled.settlement, cap)
  const usage = settled?.usage
  return [
    call,
    nextState[transition.kind],
    cap ?? null,
    after.endedAt ?? null,
    statusOf(transition),
    settled?.settlement.value ?? zero,
    charged,
    chargedNano,
    loss,
    lossNano,
    isFailed(transition) ? 1 : 0,
    charged === 0n || quotaAt === after.endedAt ? null : quotaAt,
    settled?.costState ?? null,
    settled?.evidence ?? null,
    usage?.input ?? 0,
    usage?.output ?? 0,
    usage?.cacheRead ?? 0,
    usage?.cacheWrite ?? 0,
    after.upstream ?? null,
    after.tried ?? null,
    settled?.gaps === undefined ? null : encodeGaps(settled.gaps),
    settled?.cost ?? null,
    transition.error ?? null
  ]
}

export const insertOpenCalls = (
  { insert }: Statements,
  rows: ReadonlyArray<ReadonlyArray<Value>>
): ReadonlyArray<Statement> => insert("calls", openColumns, rows)

export const updateCalls = ({ update }: Statements, applied: ReadonlyArray<Applied>): ReadonlyArray<Statement> =>
  update("calls", transitionColumns, applied.map(transitionRow))

const wholeColumns = [...transitionColumns.map(([name]) => name), ...openColumns.slice(3)]

/** A call that was reserved and changed again since the last checkpoint. */
export interface WholeCall {
  readonly opened: Pick<Command, "reservation">
  readonly owner: string
  readonly applied: Applied
}

const wholeRow = ({ applied, opened, owner }: WholeCall): ReadonlyArray<Value> => {
  const { account, amount, createdAt, key, model = null, operation, tags = null } = opened.reservation
  const row = transitionRow(applied)
  row.push(account, key, operation, amount, createdAt, owner, model, tags)
  return row
}

export const insertWholeCalls = ({ insert }: Statements, calls: ReadonlyArray<WholeCall>): ReadonlyArray<Statement> =>
  insert("calls", wholeColumns, calls.map(wholeRow))

const answerRow = ({ transition }: Applied): ReadonlyArray<ReadonlyArray<Value>> => {
  const answer = answerToStore(transition)
  return answer === undefined
    ? []
    : [[transition.reservation.call, answer.status, answer.contentType ?? null, headersText(answer), answer.bytes]]
}

export const insertAnswers = ({ insert }: Statements, last: Iterable<Applied>): ReadonlyArray<Statement> =>
  insert("answers", ["call", "status", "content_type", "headers", "body"], [...last].flatMap(answerRow))

export const addUsage = (statements: Statements, applied: ReadonlyArray<Applied>): ReadonlyArray<Statement> =>
  UsageTotals.add(statements, applied.flatMap(usageOf))
