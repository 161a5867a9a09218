import { PrintedError } from "@tollgate/contract/errors/TaggedError"
import type { Outcome } from "@tollgate/contract/Outcome"
import { remember } from "../call/memory.ts"
import { progressOf } from "../events/Reading.ts"
import type { Trace } from "../call/trace.ts"

const isTimeout = (reason: unknown): boolean =>
  typeof reason === "object" && reason !== null && "name" in reason && reason.name === "TimeoutError"

const outcomeOf = ({ reading, sent }: Trace): Outcome => {
  if (reading !== undefined) return progressOf(reading).outcome
  return sent ? "unknown" : "not executed"
}

/**
 * The caller's signal aborted the call, or the client was closed. Its `name` is that of `fetch`: `AbortError`, or
 * `TimeoutError` for `AbortSignal.timeout`.
 */
export class CallAborted extends PrintedError {
  readonly _tag = "CallAborted"
  readonly operation: string
  readonly outcome: Outcome
  /** Of a billed call that was sent. `resume` asks for its outcome. */
  declare readonly idempotencyKey?: string

  constructor(trace: Trace, reason: unknown, message = "The call was aborted") {
    super(message, { cause: reason })
    this.name = isTimeout(reason) ? "TimeoutError" : "AbortError"
    this.operation = trace.operation
    this.outcome = outcomeOf(trace)
    if (this.outcome === "not executed") return
    if (trace.idempotencyKey !== undefined) this.idempotencyKey = trace.idempotencyKey
    remember(this, trace.memory)
  }
}
