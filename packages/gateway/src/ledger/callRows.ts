import { micro } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import { amount, type Row, text } from "../store/rows.ts"
import type { Statement, Statements, Value } from "../store/statements.ts"
import type { CommandOf } from "./Command.ts"
import { answerToStore, type CallState, chargedBy, endsReservation, nextState, type Transition } from "./Transition.ts"
import * as UsageTotals from "./UsageTotals.ts"

/** The columns that are known when a call is reserved. The first two are also among `transitionColumns`. */
const openColumns = ["id", "state", "account", "key", "operation", "reserved", "created_at", "owner"]

/** The columns that a transition sets, after the id. */
const transitionColumns = [
  ["id", "TEXT"],
  ["state", "TEXT"],
  ["ended_at", "BIGINT"],
  ["status", "BIGINT"],
  ["value", "BIGINT"],
  ["charged", "BIGINT"],
  ["charged_nano", "BIGINT"],
  ["cost_state", "TEXT"],
  ["evidence", "TEXT"],
  ["input_tokens", "BIGINT"],
  ["output_tokens", "BIGINT"],
  ["cache_read_tokens", "BIGINT"],
  ["cache_write_tokens", "BIGINT"]
] as const

const zero = micro(0n)
const noCharge: Charge = { state: "none" }

export const selectCalls = ({ byIds }: Statements, transitions: ReadonlyArray<Transition>): Statement | undefined =>
  transitions.length === 0
    ? undefined
    : byIds(
        "id, state, charged, cost_state",
        "calls",
        transitions.map(({ reservation }) => reservation.call)
      )

const callStateOf = (row: Row): CallState => ({
  state: text(row, "state"),
  charge:
    text(row, "state") === "settled"
      ? {
          state: text(row, "cost_state") === "estimated" ? "estimated" : "settled",
          micros: micro(amount(row, "charged"))
        }
      : text(row, "state") === "running"
        ? { state: "pending" }
        : noCharge
})

/** Adds the rows of `selectCalls`. */
export const addCalls = (calls: Map<string, CallState>, rows: ReadonlyArray<Row>): void => {
  for (const row of rows) calls.set(text(row, "id"), callStateOf(row))
}

export const openRow = ({ reservation }: CommandOf<"reserve">, owner: string): ReadonlyArray<Value> => {
  const { account, amount, call, createdAt, key, operation } = reservation
  return [call, "open", account, key, operation, amount, createdAt, owner]
}

const transitionRow = (transition: Transition): ReadonlyArray<Value> => {
  const settled = transition.kind === "settle" ? transition.settled : undefined
  const usage = settled?.usage
  return [
    transition.reservation.call,
    nextState[transition.kind],
    endsReservation(transition) ? transition.now : null,
    transition.kind === "settle"
      ? transition.settled.answer.status
      : transition.kind === "release"
        ? transition.status
        : null,
    settled?.settlement.value ?? zero,
    chargedBy(transition),
    settled?.settlement.chargedNano ?? zero,
    settled?.costState ?? null,
    settled?.evidence ?? null,
    usage?.input ?? 0,
    usage?.output ?? 0,
    usage?.cacheRead ?? 0,
    usage?.cacheWrite ?? 0
  ]
}

export const insertOpenCalls = (
  { insert }: Statements,
  rows: ReadonlyArray<ReadonlyArray<Value>>
): ReadonlyArray<Statement> => insert("calls", openColumns, rows)

export const updateCalls = ({ update }: Statements, transitions: ReadonlyArray<Transition>): ReadonlyArray<Statement> =>
  update("calls", transitionColumns, transitions.map(transitionRow))

const wholeColumns = [...openColumns.slice(2), ...transitionColumns.map(([name]) => name)]

/** Inserts calls that were reserved and changed again since the last checkpoint. */
export const insertWholeCalls = (
  { insert }: Statements,
  calls: ReadonlyArray<{ readonly opened: ReadonlyArray<Value>; readonly transition: Transition }>
): ReadonlyArray<Statement> =>
  insert(
    "calls",
    wholeColumns,
    calls.map(({ opened, transition }) => [...opened.slice(2), ...transitionRow(transition)])
  )

const answerRow = (transition: Transition): ReadonlyArray<ReadonlyArray<Value>> => {
  const answer = answerToStore(transition)
  return answer === undefined
    ? []
    : [[transition.reservation.call, answer.status, answer.contentType ?? null, answer.bytes]]
}

export const insertAnswers = ({ insert }: Statements, transitions: Iterable<Transition>): ReadonlyArray<Statement> =>
  insert("answers", ["call", "status", "content_type", "body"], [...transitions].flatMap(answerRow))

const usageOf = (transition: Transition) => {
  const settled = transition.kind === "settle" ? transition.settled : undefined
  return {
    account: transition.reservation.account,
    key: transition.reservation.key,
    at: transition.now,
    requests: 1n,
    failed_requests: settled === undefined ? 1n : 0n,
    input_tokens: BigInt(settled?.usage.input ?? 0),
    output_tokens: BigInt(settled?.usage.output ?? 0),
    cache_read_tokens: BigInt(settled?.usage.cacheRead ?? 0),
    cache_write_tokens: BigInt(settled?.usage.cacheWrite ?? 0),
    value: settled?.settlement.value ?? 0n,
    charged: chargedBy(transition)
  }
}

export const addUsage = (statements: Statements, transitions: ReadonlyArray<Transition>): ReadonlyArray<Statement> =>
  UsageTotals.add(statements, transitions.filter(endsReservation).map(usageOf))
