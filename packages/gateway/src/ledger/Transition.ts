import { micro, type MicroUsd } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Balances } from "./Balances.ts"
import type { Command, CommandOf } from "./Command.ts"
import type { StoredAnswer } from "./StoredAnswer.ts"

/** A command that moves a call from one state to another. */
export type Transition = Exclude<Command, CommandOf<"reserve">>

/** A larger answer is not stored: a repeat of its key is refused as completed. */
const maxStoredBytes = 256 * 1024

const noCharge: Charge = { state: "none" }
const zero = micro(0n)

/** The state each transition leads to, as stored. */
export const nextState = {
  begin: "running",
  settle: "settled",
  release: "released",
  mark_unknown: "unknown",
  write_off: "written_off"
} as const

/** The transitions out of each state. The other states are final. */
const allowed: Readonly<Record<string, ReadonlyArray<Transition["kind"]>>> = {
  open: ["begin", "settle", "release", "mark_unknown"],
  running: ["settle", "release", "mark_unknown"],
  unknown: ["settle", "release", "write_off"]
}

const isAllowed = (state: string | undefined, kind: Transition["kind"]): boolean =>
  allowed[state ?? ""]?.includes(kind) === true

/** Whether the call's reservation ends with it. */
export const endsReservation = ({ kind }: Transition): boolean => kind !== "begin" && kind !== "mark_unknown"

/** Never more than was reserved: the caller does not pay for an estimate that was too low. */
export const chargedBy = (transition: Transition): MicroUsd => {
  if (transition.kind !== "settle") return zero
  const { charged } = transition.settled.settlement
  return charged < transition.reservation.amount ? charged : transition.reservation.amount
}

const chargeOf = (transition: Transition): Charge => {
  if (transition.kind === "settle") return { state: transition.settled.costState, micros: chargedBy(transition) }
  return transition.kind === "mark_unknown"
    ? { state: "unknown" }
    : transition.kind === "begin"
      ? { state: "pending" }
      : noCharge
}

/** Where a call stands. */
export interface CallState {
  readonly state: string
  readonly charge: Charge
}

export const openCall: CallState = { state: "open", charge: noCharge }

/** A caller that lost the result of the first attempt repeats it. */
const isRepeat = (state: string | undefined, kind: Transition["kind"]): boolean =>
  (kind === "settle" || kind === "begin") && state === nextState[kind]

/** The answer to store for replays: the final one, or for a task the one that started it. */
export const answerToStore = (transition: Transition): StoredAnswer | undefined => {
  const answer =
    transition.kind === "settle"
      ? transition.settled.answer
      : transition.kind === "begin"
        ? transition.answer
        : undefined
  return answer === undefined || !transition.reservation.keepAnswer || answer.bytes.length > maxStoredBytes
    ? undefined
    : answer
}

export interface Applied {
  readonly results: ReadonlyArray<Charge>
  /** The last transition of each call: one group may mark a call unknown and then settle it. */
  readonly last: ReadonlyMap<string, Transition>
  readonly begun: ReadonlyArray<CommandOf<"begin">>
}

/** Applies the transitions of a group to `balances` and `calls`. One that is not allowed changes nothing. */
export const applyTransitions = (
  balances: Balances,
  transitions: ReadonlyArray<Transition>,
  calls: Map<string, CallState>
): Applied => {
  const last = new Map<string, Transition>()
  const begun: Array<CommandOf<"begin">> = []
  const results = transitions.map((transition): Charge => {
    const { call } = transition.reservation
    const known = calls.get(call)
    if (!isAllowed(known?.state, transition.kind)) {
      return known !== undefined && isRepeat(known.state, transition.kind) ? known.charge : noCharge
    }
    last.set(call, transition)
    if (transition.kind === "begin") begun.push(transition)
    const charge = chargeOf(transition)
    calls.set(call, { state: nextState[transition.kind], charge })
    applyCharge(balances, transition)
    return charge
  })
  return { results, last, begun }
}

export const applyCharge = (balances: Balances, transition: Transition): void => {
  if (endsReservation(transition)) balances.charge(transition.reservation, chargedBy(transition), transition.now)
}
