import type { TriedUpstream, LimitKind } from "@tollgate/contract/errors/Refused"
import type { Code } from "@tollgate/contract/errors/codes"
import type { BigMicroUsd, NanoUsd } from "@tollgate/contract/Money"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import type { TokenUsage } from "@tollgate/contract/price/evidence"
import * as Context from "effect/Context"

/** Runs in the call's own step, so it has to be quick. What it throws is discarded. */
export type CallListener = (event: CallEvent) => void

/** Who is told of each call that ended. While the list is empty, no event is made. */
export const OnCallEnded = Context.Reference<ReadonlyArray<CallListener>>("@tollgate/gateway/OnCallEnded", {
  defaultValue: () => []
})

/** Passes an event on. A listener that fails does not affect the call or the other listeners. */
export const tell = (listeners: ReadonlyArray<CallListener>, event: CallEvent): void => {
  for (const listener of listeners) {
    try {
      listener(event)
    } catch {
      // The call has ended: nobody could act on it.
    }
  }
}

/** `task`: the work of an earlier call has ended; that call had an event of its own when it was answered. */
type CallKind = "call" | "quote" | "task"

/** One call that has ended, refused ones included. It holds no credential and nothing of the bodies. */
export interface CallEvent {
  readonly kind: CallKind
  /** Of a task: the request id of the call that started it. */
  readonly requestId: string
  readonly via: "http" | "tools"
  /** The id of the operation. `undefined`: no operation has this path and method. */
  readonly operation: string | undefined
  /** As the caller wrote it. Callers choose it freely. */
  readonly model: string | undefined
  readonly account: string | undefined
  /** The id of the key, not the key. */
  readonly key: string | undefined
  /** The name of the upstream that answered. */
  readonly upstream: string | undefined
  /** All upstreams that were tried, in order. `undefined`: none, or the first one answered. */
  readonly tried?: ReadonlyArray<TriedUpstream> | undefined
  /** 499: the caller left before the answer. */
  readonly status: number
  /** Why the gateway refused the call, or broke its answer off. `caller_left`: the caller did not wait for the end. */
  readonly code: Code | "caller_left" | undefined
  readonly limit?: LimitKind | undefined
  readonly outcome: Outcome
  /** What is known of the charge. While it is `pending` or `unknown`, the amounts are zero. */
  readonly costState: Charge["state"]
  readonly charge: BigMicroUsd
  /** The list price, before the account's multiplier. */
  readonly value: BigMicroUsd
  /** What the call cost beyond its cap. */
  readonly loss: BigMicroUsd
  /** What the upstream charges, whatever the caller pays. `undefined`: not known. */
  readonly cost: NanoUsd | undefined
  readonly tokens: TokenUsage
  /** What was used without a price, by name. An upstream can make names up. */
  readonly gaps: ReadonlyArray<string> | undefined
  /** Unix milliseconds. */
  readonly startedAt: number
  /** Until the caller could get the first byte. `undefined`: it got none. */
  readonly firstByteMillis?: number | undefined
  readonly durationMillis: number
  readonly streamed: boolean
  /** The answer is the stored one of an earlier call. */
  readonly replayed: boolean
  /** The answer is a kept one of another call with the same request. */
  readonly kept: boolean
  readonly tags: Readonly<Record<string, string>> | undefined
  /** Of the trace that the call is part of. */
  readonly traceId?: string | undefined
  /** Of the call's own span, if the trace is recorded. */
  readonly spanId?: string | undefined
}
