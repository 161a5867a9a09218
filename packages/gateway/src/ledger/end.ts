import { micro, type MicroUsd } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import { amount, type Row, text } from "../store/rows.ts"
import type { Statement, Statements, Value } from "../store/statements.ts"
import type { Ask, Command } from "./Command.ts"
import type { StoredAnswer } from "./Ledger.ts"
import type { Purses } from "./Purses.ts"
import * as sums from "./sums.ts"

export type End = Exclude<Command, Ask<"reserve">>

/** A larger answer is not kept for replays: its key then says that the call is completed. */
const largestKept = 256 * 1024

/** Those that a call has from the start: how far it is and which, then the rest. */
export const openColumns = ["id", "state", "account", "key", "operation", "reserved", "created_at", "owner"]

const nothing: Charge = { state: "none" }
const none = micro(0n)

const columns = [
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

const states = {
  begin: "running",
  settle: "settled",
  release: "released",
  hold: "unknown",
  write_off: "written_off"
} as const

/** What may be asked of a call in each state. Of one that has ended, nothing. */
const possible: Readonly<Record<string, ReadonlyArray<End["ask"]>>> = {
  open: ["begin", "settle", "release", "hold"],
  running: ["settle", "release", "hold"],
  unknown: ["settle", "release", "write_off"]
}

const canEnd = (state: string | undefined, ask: End["ask"]): boolean => possible[state ?? ""]?.includes(ask) === true

/** What is set aside stays so. */
const isOver = ({ ask }: End): boolean => ask !== "begin" && ask !== "hold"

/** Never more than was set aside: what an answer costs beyond it is not the caller's to pay. */
const chargeOf = (end: End): MicroUsd => {
  if (end.ask !== "settle") return none
  const { charged } = end.settled.settlement
  return charged < end.reservation.amount ? charged : end.reservation.amount
}

const outcomeOf = (end: End): Charge => {
  if (end.ask === "settle") return { state: end.settled.costState, micros: chargeOf(end) }
  return end.ask === "hold" ? { state: "unknown" } : end.ask === "begin" ? { state: "pending" } : nothing
}

/** How far a call is. */
export interface Current {
  readonly state: string
  readonly charge: Charge
}

export const open: Current = { state: "open", charge: nothing }

const currentOf = (call: Row): Current => ({
  state: text(call, "state"),
  charge:
    text(call, "state") === "settled"
      ? {
          state: text(call, "cost_state") === "estimated" ? "estimated" : "settled",
          micros: micro(amount(call, "charged"))
        }
      : text(call, "state") === "running"
        ? { state: "pending" }
        : nothing
})

/** Asked again, since the answer to the first time was lost. */
const isRepeated = (state: string | undefined, ask: End["ask"]): boolean =>
  (ask === "settle" || ask === "begin") && state === states[ask]

/** Kept for replays: the whole answer, or the one that the task was begun with. */
export const keptAnswer = (end: End): StoredAnswer | undefined => {
  const answer = end.ask === "settle" ? end.settled.answer : end.ask === "begin" ? end.answer : undefined
  return answer === undefined || !end.reservation.keepAnswer || answer.bytes.length > largestKept ? undefined : answer
}

const answerRow = (end: End): ReadonlyArray<ReadonlyArray<Value>> => {
  const answer = keptAnswer(end)
  return answer === undefined ? [] : [[end.reservation.call, answer.status, answer.contentType ?? null, answer.bytes]]
}

const row = (end: End): ReadonlyArray<Value> => {
  const settled = end.ask === "settle" ? end.settled : undefined
  const usage = settled?.usage
  return [
    end.reservation.call,
    states[end.ask],
    isOver(end) ? end.now : null,
    end.ask === "settle" ? end.settled.answer.status : end.ask === "release" ? end.status : null,
    settled?.settlement.value ?? none,
    chargeOf(end),
    settled?.settlement.chargedNano ?? none,
    settled?.costState ?? null,
    settled?.evidence ?? null,
    usage?.input ?? 0,
    usage?.output ?? 0,
    usage?.cacheRead ?? 0,
    usage?.cacheWrite ?? 0
  ]
}

export const callsOf = ({ byIds }: Statements, commands: ReadonlyArray<End>): Statement | undefined =>
  commands.length === 0
    ? undefined
    : byIds(
        "id, state, charged, cost_state",
        "calls",
        commands.map(({ reservation }) => reservation.call)
      )

/** The calls that were read, into what is known of calls. */
export const addFound = (current: Map<string, Current>, found: ReadonlyArray<Row>): void => {
  for (const call of found) current.set(text(call, "id"), currentOf(call))
}

export interface Ended {
  readonly result: ReadonlyArray<Charge>
  /** The last word on each call, which may be held and settled in one group. */
  readonly last: ReadonlyMap<string, End>
  readonly begun: ReadonlyArray<Ask<"begin">>
}

/** Ends the calls of a group, each at most once: a call that has already ended stays as it is. Changes what it is given. */
export const end = (purses: Purses, commands: ReadonlyArray<End>, current: Map<string, Current>): Ended => {
  const last = new Map<string, End>()
  const begun: Array<Ask<"begin">> = []
  const result = commands.map((command): Charge => {
    const { call } = command.reservation
    const known = current.get(call)
    if (!canEnd(known?.state, command.ask)) {
      return known !== undefined && isRepeated(known.state, command.ask) ? known.charge : nothing
    }
    last.set(call, command)
    if (command.ask === "begin") begun.push(command)
    const charge = outcomeOf(command)
    current.set(call, { state: states[command.ask], charge })
    giveBack(purses, command)
    return charge
  })
  return { result, last, begun }
}

/** Ends what was set aside for a call, where that is over. */
export const giveBack = (purses: Purses, end: End): void => {
  if (isOver(end)) purses.give(end.reservation, chargeOf(end), end.now)
}

export const recordAnswers = ({ insert }: Statements, ends: Iterable<End>): ReadonlyArray<Statement> =>
  insert("answers", ["call", "status", "content_type", "body"], [...ends].flatMap(answerRow))

/** Of calls that are in their table. */
export const recordEnds = ({ update }: Statements, ends: ReadonlyArray<End>): ReadonlyArray<Statement> =>
  update("calls", columns, ends.map(row))

const names = columns.map(([name]) => name)

/** Of calls that are not: they began and ended since it was last written to. */
export const recordWhole = (
  { insert }: Statements,
  calls: ReadonlyArray<{ readonly opened: ReadonlyArray<Value>; readonly end: End }>
): ReadonlyArray<Statement> =>
  insert(
    "calls",
    [...openColumns.slice(2), ...names],
    calls.map(({ end, opened }) => [...opened.slice(2), ...row(end)])
  )

export const recordSums = (statements: Statements, ends: ReadonlyArray<End>): ReadonlyArray<Statement> =>
  sums.add(statements, ends.filter(isOver).map(counted))

const counted = (end: End) => {
  const settled = end.ask === "settle" ? end.settled : undefined
  return {
    account: end.reservation.account,
    key: end.reservation.key,
    at: end.now,
    requests: 1n,
    failed_requests: settled === undefined ? 1n : 0n,
    input_tokens: BigInt(settled?.usage.input ?? 0),
    output_tokens: BigInt(settled?.usage.output ?? 0),
    cache_read_tokens: BigInt(settled?.usage.cacheRead ?? 0),
    cache_write_tokens: BigInt(settled?.usage.cacheWrite ?? 0),
    value: settled?.settlement.value ?? 0n,
    charged: chargeOf(end)
  }
}
