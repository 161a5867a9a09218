import type { Head } from "@tollgate/contract/carrier/Carrier"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Context from "effect/Context"
import type { Memory } from "./memory.ts"
import type { Reading } from "../events/Reading.ts"

/** A step of a loop that was paid for. `Step` of `@tollgate/client/runTools` has the model's own type of answer. */
export interface PaidStep {
  /** From 1. */
  readonly number: number
  /** The model's answer as it arrived. */
  readonly answer: unknown
  readonly text: string
  readonly charge: Charge
  readonly requestId?: string
}

/** What a loop has paid for, and what it needs to go on. */
export interface Progress {
  readonly steps: ReadonlyArray<PaidStep>
  /** What all steps have cost together. */
  readonly charge: Charge
  readonly resume: {
    /** The conversation so far. */
    readonly input: unknown
    readonly options: { readonly budget?: string; readonly idempotencyKey?: string }
  }
}

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
  /** Of a stream, once it has begun. */
  reading: Reading | undefined
  /** Called when a stream has begun. */
  opened: (() => void) | undefined
  /** What `resume` needs. */
  memory: Memory | undefined
  /** Of a video that is waited for. */
  taskId: string | undefined
  /** Of a loop of calls. */
  progress: (() => Progress) | undefined
  /** No call may begin. */
  aborted: boolean
}

export const make = (): Trace => ({
  operation: "",
  idempotencyKey: undefined,
  sent: false,
  head: undefined,
  charge: { state: "unknown" },
  reading: undefined,
  opened: undefined,
  memory: undefined,
  taskId: undefined,
  progress: undefined,
  aborted: false
})

/** Set by whoever wants to know. */
export const Trace = Context.Reference<Trace | undefined>("@tollgate/client/Trace", { defaultValue: () => undefined })
