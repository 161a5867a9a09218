import type { Reading } from "../events/Event.ts"
import type { Head } from "@tollgate/contract/carrier/Carrier"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Memory } from "./memory.ts"

/** What is known of the last call within an effect. The call fills it; a quote for a budget does not. */
export interface Trace {
  operation: string
  /** Of the last billed call. */
  idempotencyKey: string | undefined
  /** A request was handed to the transport, by this call or an earlier one, and it is not proven that it did not run. */
  sent: boolean
  /** Of the last answer. `requestId`: of the call that it belongs to, if that is a stream. */
  head: (Head & { readonly requestId?: string | undefined }) | undefined
  charge: Charge
  /** Asks for the charge of a stream that was left or broke, and notes it here. */
  learn: Effect.Effect<void> | undefined
  /** Of a stream, once it has begun. */
  reading: Reading | undefined
  /** Called when a stream has begun. */
  opened: (() => void) | undefined
  /** What `resume` needs. */
  memory: Memory | undefined
  /** Of a video that is waited for. */
  taskId: string | undefined
  /** No call may begin. */
  aborted: boolean
  /** With promises: whether an interruption is the caller's word to end a stream, or only that it is left. */
  isCanceled: (() => boolean) | undefined
  /** Ends a stream at the gateway that was left and could be resumed. */
  cancel: Effect.Effect<void> | undefined
}

export const make = (): Trace => ({
  operation: "",
  idempotencyKey: undefined,
  sent: false,
  head: undefined,
  charge: { state: "unknown" },
  learn: undefined,
  reading: undefined,
  opened: undefined,
  memory: undefined,
  taskId: undefined,
  aborted: false,
  isCanceled: undefined,
  cancel: undefined
})

/** Set by whoever wants to know. */
export const Trace = Context.Reference<Trace | undefined>("@tollgate/client/Trace", { defaultValue: () => undefined })
