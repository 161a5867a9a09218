import { micro, type MicroUsd } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type * as Rows from "../store/rows.ts"
import { amount, type Row, text } from "../store/rows.ts"
import { recordBegun, recordEnded } from "../task/records.ts"
import type { Ask, Command } from "./Command.ts"
import type { Purses } from "./Purses.ts"
import * as sums from "./sums.ts"

type End = Exclude<Command, Ask<"reserve">>

/** A larger answer is not kept for replays: its key then says that the call is completed. */
const largestKept = 256 * 1024

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

const outcomeOf = (end: End, charged: MicroUsd): Charge => {
  if (end.ask === "settle") return { state: end.settled.costState, micros: charged }
  return end.ask === "hold" ? { state: "unknown" } : end.ask === "begin" ? { state: "pending" } : nothing
}

interface Current {
  readonly state: string
  readonly charge: Charge
}

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
const answered = (end: End): ReadonlyArray<ReadonlyArray<Rows.Value>> => {
  const answer = end.ask === "settle" ? end.settled.answer : end.ask === "begin" ? end.answer : undefined
  const { call, keepAnswer } = end.reservation
  return answer === undefined || !keepAnswer || answer.bytes.length > largestKept
    ? []
    : [[call, answer.status, answer.contentType ?? null, answer.bytes]]
}

const row = (end: End): ReadonlyArray<Rows.Value> => {
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

/** Ends the calls of a group, each at most once: a call that has already ended stays as it is. */
export const end = Effect.fnUntraced(function* (
  rows: ReturnType<typeof Rows.make>,
  purses: Purses,
  commands: ReadonlyArray<End>
) {
  if (commands.length === 0) return []
  const found = yield* rows.byIds(
    "id, state, charged, cost_state",
    "calls",
    commands.map(({ reservation }) => reservation.call)
  )
  const current = new Map(found.map((call): [string, Current] => [text(call, "id"), currentOf(call)]))
  // The last word on each call, which may be held and settled in one group.
  const last = new Map<string, End>()
  const begun: Array<Ask<"begin">> = []

  const results = commands.map((command): Charge => {
    const { call } = command.reservation
    const known = current.get(call)
    if (!canEnd(known?.state, command.ask)) {
      return known !== undefined && isRepeated(known.state, command.ask) ? known.charge : nothing
    }
    last.set(call, command)
    if (command.ask === "begin") begun.push(command)
    const charged = chargeOf(command)
    const charge = outcomeOf(command, charged)
    current.set(call, { state: states[command.ask], charge })
    if (isOver(command)) purses.give(command.reservation, charged, command.now)
    return charge
  })
  const ending = [...last.values()]

  yield* rows.update("calls", columns, ending.map(row))
  yield* rows.insert("answers", ["call", "status", "content_type", "body"], ending.flatMap(answered))
  yield* recordBegun(rows, begun)
  yield* recordEnded(rows, commands)
  yield* sums.add(
    rows,
    ending.flatMap((command) => {
      if (!isOver(command)) return []
      const settled = command.ask === "settle" ? command.settled : undefined
      return [
        {
          account: command.reservation.account,
          key: command.reservation.key,
          at: command.now,
          requests: 1n,
          failed_requests: settled === undefined ? 1n : 0n,
          input_tokens: BigInt(settled?.usage.input ?? 0),
          output_tokens: BigInt(settled?.usage.output ?? 0),
          cache_read_tokens: BigInt(settled?.usage.cacheRead ?? 0),
          cache_write_tokens: BigInt(settled?.usage.cacheWrite ?? 0),
          value: settled?.settlement.value ?? 0n,
          charged: chargeOf(command)
        }
      ]
    })
  )
  return results
})
