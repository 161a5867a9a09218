import { micro } from "@tollgate/contract/Money"
import { type Code, codes, costsNothing } from "@tollgate/contract/errors/codes"
import { type LimitKind, type Refused, statusOf } from "@tollgate/contract/errors/Refused"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import { noTokens } from "@tollgate/contract/price/TokenKind"
import type { Clock } from "effect/Clock"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Attempted, CallEnd } from "@tollgate/ledger/ledger/Command"
import { capped, type Settled } from "@tollgate/ledger/ledger/Settled"
import type { Reservation } from "@tollgate/ledger/ledger/Reservation"
import { type CallEvent, type CallListener, OnCallEnded, tell } from "./CallEvent.ts"
import type { CallTrace } from "./trace/CallTrace.ts"
import { sentTags } from "@tollgate/ledger/ledger/recorded"
import * as Effect from "effect/Effect"
import type { RunningTask } from "@tollgate/ledger/ledger/Task"

const nothing = micro(0n)

/** What a call is charged and used, as its event tells it. */
const amountsOf = (settled: Settled | undefined, cap: Reservation["cap"]) => {
  const costs = settled && capped(settled.settlement, cap)
  return {
    charge: costs?.charged ?? nothing,
    value: settled?.settlement.value ?? nothing,
    loss: costs?.loss ?? nothing,
    cost: settled?.cost,
    tokens: settled?.usage ?? noTokens,
    gaps: settled?.gaps
  }
}

/** Nginx's status for a caller who left before the answer. */
const callerLeft = 499

const limits: Partial<Record<Code, LimitKind>> = {
  insufficient_balance: "balance",
  over_budget: "budget",
  quota_exceeded: "quota",
  balance_reserved: "reserved",
  over_cap: "cap"
}

/** How an answer was given: what the caller got, or why it got nothing. */
type AnswerEnd =
  | { readonly kind: "answered"; readonly status: number; readonly charge: Charge; readonly streamed: boolean }
  /** The status is that of the head, which the caller got before the stream broke. */
  | { readonly kind: "refused"; readonly refused: Refused; readonly status?: number; readonly charge?: Charge }
  | { readonly kind: "left"; readonly status?: number; readonly charge?: Charge }

const chargeOf = (end: AnswerEnd): Charge => {
  if (end.charge !== undefined) return end.charge
  if (end.kind !== "refused" || costsNothing(end.refused.refusal.code)) return { state: "none" }
  return { state: codes[end.refused.refusal.code].outcome === "executed" ? "pending" : "unknown" }
}

const outcomeOf = (end: AnswerEnd, { state }: Charge): Outcome => {
  if (state === "unknown") return "unknown"
  if (end.kind === "refused" && end.charge === undefined) return codes[end.refused.refusal.code].outcome
  return end.kind === "left" && end.charge === undefined ? "not executed" : "executed"
}

/** Collects what becomes known of a call on its path, and makes its event when it has ended. */
export class ObservedCall {
  readonly #listeners: ReadonlyArray<CallListener>
  readonly #clock: Clock
  readonly #via: CallEvent["via"]
  readonly #requestId: string
  readonly #operation: string | undefined
  readonly #startedAt: number
  readonly #start: bigint
  #firstByte: number | undefined
  #settled: Settled | undefined
  #cap: Reservation["cap"]
  #by: Attempted | undefined
  #hasEnded = false
  principal: Principal | undefined
  model: string | undefined
  isQuote = false
  isReplayed = false
  isCached = false
  tags: Readonly<Record<string, string>> | undefined
  /** Of a caller whose trace is not recorded here. */
  traceId: string | undefined
  trace: CallTrace | undefined

  constructor(
    listeners: ReadonlyArray<CallListener>,
    clock: Clock,
    via: CallEvent["via"],
    requestId: string,
    operation: string | undefined
  ) {
    this.#listeners = listeners
    this.#clock = clock
    this.#via = via
    this.#requestId = requestId
    this.#operation = operation
    this.#startedAt = clock.currentTimeMillisUnsafe()
    this.#start = clock.monotonicTimeNanosUnsafe()
  }

  answeredBy(by: Attempted): void {
    this.#by = by
  }

  /** What the answer costs. It counts once the ledger has recorded it. */
  meteredAs(settled: Settled | undefined, { cap }: Reservation): void {
    this.#settled = settled
    this.#cap = cap
    this.trace?.meteredAs(settled)
  }

  /** The caller gets the first byte of a stream. */
  sendsFirstByte(chunk: Uint8Array | undefined): void {
    this.#firstByte ??= this.#elapsed()
    this.trace?.firstByte(chunk)
  }

  /** Further calls do nothing. */
  end(end: AnswerEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const event = this.#event(end)
    this.trace?.end(event)
    tell(this.#listeners, event)
  }

  #elapsed(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe() - this.#start) / 1e6
  }

  #event(end: AnswerEnd): CallEvent {
    const durationMillis = this.#elapsed()
    const charge = chargeOf(end)
    const refused = end.kind === "refused" ? end.refused : undefined
    const streamed = end.kind === "answered" ? end.streamed : end.status !== undefined
    const settled = charge.state === "settled" || charge.state === "estimated" ? this.#settled : undefined
    return {
      kind: this.isQuote ? "quote" : "call",
      requestId: this.#requestId,
      via: this.#via,
      operation: this.#operation,
      model: this.model,
      account: this.principal?.account,
      key: this.principal?.key,
      upstream: this.#by?.provider,
      tried: this.#by?.tried ?? refused?.tried,
      status: end.status ?? (refused === undefined ? callerLeft : statusOf(refused.refusal)),
      code: end.kind === "left" ? "caller_left" : refused?.refusal.code,
      limit: refused?.limit ?? (refused && limits[refused.refusal.code]),
      outcome: outcomeOf(end, charge),
      costState: charge.state,
      ...amountsOf(settled, this.#cap),
      startedAt: this.#startedAt,
      // The first byte may be the last one too, which is sent after this.
      firstByteMillis: this.#firstByte ?? (end.kind === "left" ? undefined : durationMillis),
      durationMillis,
      streamed,
      replayed: this.isReplayed,
      kept: this.isCached,
      tags: this.tags,
      traceId: this.trace?.traceId ?? this.traceId,
      spanId: this.trace?.spanId
    }
  }
}

const states: Record<CallEnd["kind"], Charge["state"]> = { settle: "settled", release: "none", mark_unknown: "unknown" }

const taskEvent = ({ provider, reservation }: RunningTask, end: CallEnd, now: number): CallEvent => {
  const settled = end.kind === "settle" ? end.settled : undefined
  return {
    kind: "task",
    requestId: reservation.call,
    via: "http",
    operation: reservation.operation,
    model: reservation.model,
    account: reservation.account,
    key: reservation.key,
    upstream: provider,
    status: 200,
    code: end.kind === "settle" ? undefined : "upstream_failed",
    outcome: end.kind === "mark_unknown" ? "unknown" : "executed",
    costState: states[end.kind],
    ...amountsOf(settled, reservation.cap),
    startedAt: reservation.createdAt,
    durationMillis: now - reservation.createdAt,
    streamed: false,
    replayed: false,
    kept: false,
    tags: reservation.tags === undefined ? undefined : sentTags(reservation.tags)
  }
}

/** Tells listeners that a task has ended. Undefined if nobody listens. */
export const taskListener = Effect.map(OnCallEnded, (listeners) =>
  listeners.length === 0
    ? undefined
    : (task: RunningTask, end: CallEnd, now: number): void => tell(listeners, taskEvent(task, end, now))
)
