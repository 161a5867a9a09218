import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Balances } from "./Balances.ts"
import { chargeFor, type StoredAnswer, upToCap } from "./Settled.ts"
import type { Command, CommandOf } from "./Command.ts"
import type { Reservation } from "./Reservation.ts"

/** A command that moves a call from one state to another. */
export type Transition = Exclude<Command, CommandOf<"reserve">>

/** A larger answer is not stored: a repeat of its key is refused as completed. */
export const maxStoredBytes = 256 * 1024

const noCharge: Charge = { state: "none" }
const zero = micro(0n)

/** The state each transition leads to, as stored. */
export const nextState = {
  begin: "running",
  settle: "settled",
  release: "released",
  refuse: "refused",
  mark_unknown: "unknown",
  replay: "replayed"
} as const

/** The transitions out of each state. The other states are final. */
const allowed: Readonly<Record<string, ReadonlyArray<Transition["kind"]>>> = {
  open: ["begin", "settle", "release", "refuse", "mark_unknown"],
  running: ["settle", "release", "mark_unknown"],
  // A call that took long enough to be given up, or whose gateway was taken for dead, and then went on after all.
  unknown: ["begin", "settle", "release"]
}

const isAllowed = (state: string, kind: Transition["kind"]): boolean => allowed[state]?.includes(kind) === true

/** Whether the reservation of an open call ends with it. An unknown end lets go too: nothing more can be learned of it. */
export const endsReservation = ({ kind }: Transition): boolean => kind !== "begin" && kind !== "replay"

/** Whether a call in this state has money reserved. */
export const isHeld = (state: string): boolean => state === "open" || state === "running"

export const chargedBy = (transition: Transition): BigMicroUsd =>
  transition.kind === "settle" ? upToCap(transition.settled.settlement.charged, transition.reservation.cap) : zero

const chargeOf = (transition: Transition, charged: BigMicroUsd): Charge => {
  if (transition.kind === "settle") return chargeFor(transition.settled.costState, charged)
  return transition.kind === "mark_unknown"
    ? { state: "unknown" }
    : transition.kind === "begin"
      ? { state: "pending" }
      : noCharge
}

export interface CallState {
  readonly state: string
  readonly charge: Charge
  /** When it ended, or was marked unknown before that. */
  readonly endedAt: number | undefined
  readonly operation: string
  readonly model: string | undefined
  readonly tags: string | undefined
  readonly upstream: string | undefined
  readonly tried: string | undefined
}

export const openCall = ({ model, operation, tags }: Reservation): CallState => ({
  state: "open",
  charge: noCharge,
  endedAt: undefined,
  operation,
  model,
  tags,
  upstream: undefined,
  tried: undefined
})

/** A caller that lost the result of the first attempt repeats it. */
const isRepeat = (state: string, kind: Transition["kind"]): boolean =>
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

/** A transition that took place, and what the call was before and after it. */
export interface Applied {
  readonly transition: Transition
  readonly before: CallState
  readonly after: CallState
  /** The time in whose period the charge counts towards the key's quota. */
  readonly quotaAt: number
}

/** Applies a transition to `balances` and `calls`. */
export const apply = (
  balances: Balances,
  calls: Map<string, CallState>,
  transition: Transition,
  before: CallState
): Applied => {
  const { kind, now, reservation } = transition
  const charged = chargedBy(transition)
  const after: CallState = {
    state: nextState[kind],
    charge: chargeOf(transition, charged),
    // It stays the first time, if an unknown call ends again.
    endedAt: kind === "begin" ? undefined : (before.endedAt ?? now),
    operation: before.operation,
    model: before.model,
    tags: before.tags,
    upstream: transition.upstream ?? before.upstream,
    tried: transition.tried ?? before.tried
  }
  calls.set(reservation.call, after)
  // An unknown call has let go of its money: a later end only charges, and a task reserves again.
  const wasHeld = isHeld(before.state)
  let quotaAt = now
  if (endsReservation(transition)) {
    quotaAt = balances.charge(wasHeld ? reservation : { ...reservation, amount: zero }, charged, now)
  } else if (kind === "begin" && !wasHeld) balances.reserve(reservation, now)
  return { transition, before, after, quotaAt }
}

export interface AppliedGroup {
  readonly results: ReadonlyArray<Charge>
  readonly applied: ReadonlyArray<Applied>
  /** The last transition of each call: one group may mark a call unknown and then settle it. */
  readonly last: ReadonlyMap<string, Applied>
}

const nothingApplied: AppliedGroup = { results: [], applied: [], last: new Map() }

/** Applies the transitions of a group. One that is not allowed changes nothing. */
export const applyTransitions = (
  balances: Balances,
  transitions: ReadonlyArray<Transition>,
  calls: Map<string, CallState>
): AppliedGroup => {
  if (transitions.length === 0) return nothingApplied
  const results: Array<Charge> = []
  const applied: Array<Applied> = []
  const last = new Map<string, Applied>()
  for (const transition of transitions) {
    const { kind, reservation } = transition
    const before = calls.get(reservation.call)
    if (before === undefined || !isAllowed(before.state, kind)) {
      results.push(before !== undefined && isRepeat(before.state, kind) ? before.charge : noCharge)
      continue
    }
    const one = apply(balances, calls, transition, before)
    results.push(one.after.charge)
    applied.push(one)
    last.set(reservation.call, one)
  }
  return { results, applied, last }
}
