import { micro } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import { capped } from "@tollgate/ledger/ledger/Settled"
import { sentTags } from "@tollgate/ledger/ledger/recorded"
import * as Effect from "effect/Effect"
import type { CallEnd } from "@tollgate/ledger/ledger/Command"
import type { RunningTask } from "@tollgate/ledger/ledger/Task"
import { type CallEvent, OnCallEnded, tell } from "./CallEvent.ts"
import { noTokens } from "./ObservedCall.ts"

const nothing = micro(0n)

const states: Record<CallEnd["kind"], Charge["state"]> = { settle: "settled", release: "none", mark_unknown: "unknown" }

/** The event of a task that has ended, whether or not its caller polls it. */
const taskEvent = ({ provider, reservation }: RunningTask, end: CallEnd, now: number): CallEvent => {
  const settled = end.kind === "settle" ? end.settled : undefined
  const costs = settled && capped(settled.settlement, reservation.cap)
  return {
    kind: "task",
    requestId: reservation.call,
    face: "http",
    operation: reservation.operation,
    model: reservation.model,
    account: reservation.account,
    key: reservation.key,
    upstream: provider,
    tried: undefined,
    status: 200,
    code: end.kind === "settle" ? undefined : "upstream_failed",
    limit: undefined,
    outcome: end.kind === "mark_unknown" ? "unknown" : "executed",
    costState: states[end.kind],
    charge: costs?.charged ?? nothing,
    value: settled?.settlement.value ?? nothing,
    loss: costs?.loss ?? nothing,
    cost: settled?.cost,
    tokens: settled?.usage ?? noTokens,
    gaps: settled?.gaps,
    startedAt: reservation.createdAt,
    firstByteMillis: undefined,
    durationMillis: now - reservation.createdAt,
    streamed: false,
    replayed: false,
    kept: false,
    tags: reservation.tags === undefined ? undefined : sentTags(reservation.tags),
    traceId: undefined,
    spanId: undefined
  }
}

/** Tells listeners that a task has ended. Undefined if nobody listens. */
export const taskListener = Effect.map(OnCallEnded, (listeners) =>
  listeners.length === 0
    ? undefined
    : (task: RunningTask, end: CallEnd, now: number): void => tell(listeners, taskEvent(task, end, now))
)
