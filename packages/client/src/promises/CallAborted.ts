import { progressOf } from "../events/Event.ts"
import { PrintedError } from "@tollgate/contract/errors/TaggedError"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import { remember } from "../call/memory.ts"
import { askCost } from "../events/read.ts"
import type { Trace } from "../call/trace.ts"

const isTimeout = (reason: unknown): boolean =>
  typeof reason === "object" && reason !== null && "name" in reason && reason.name === "TimeoutError"

const outcomeOf = ({ reading, sent, taskId }: Trace): Outcome => {
  if (reading !== undefined) return progressOf(reading).outcome
  return sent || taskId !== undefined ? "unknown" : "not executed"
}

/** What the caller may have to pay for, and how to learn it. */
const adviceOf = ({ charge, reading, taskId }: Trace): string => {
  if (taskId !== undefined)
    return `. That does not end its task, which is charged if it succeeds: awaitVideo("${taskId}") waits for it`
  return reading === undefined || charge.state !== "unknown" ? "" : ` (${askCost(reading.requestId)})`
}

/**
 * The caller's signal aborted the call, or the client was closed. Its `name` is that of `fetch`: `AbortError`, or
 * `TimeoutError` for `AbortSignal.timeout`.
 */
export class CallAborted extends PrintedError("CallAborted") {
  readonly _tag = "CallAborted"
  readonly operation: string
  readonly outcome: Outcome
  /** Of a billed call that was sent. `resume` asks for its outcome. */
  declare readonly idempotencyKey?: string
  /** Of a video that was waited for. The task goes on; pass this to `awaitVideo` to wait for it. */
  declare readonly taskId?: string
  /** Of a stream that had begun. `charge(client, requestId)` tells what it cost. */
  declare readonly requestId?: string
  /** Of a stream, if its end told it. `response()` of the stream asks for it. */
  declare readonly charge?: Charge

  constructor(trace: Trace, reason: unknown, message = "The call was aborted") {
    super(message + adviceOf(trace), { cause: reason })
    this.name = isTimeout(reason) ? "TimeoutError" : "AbortError"
    this.operation = trace.operation
    this.outcome = outcomeOf(trace)
    if (trace.taskId !== undefined) this.taskId = trace.taskId
    if (trace.reading !== undefined) {
      const { requestId } = progressOf(trace.reading)
      if (requestId !== undefined) this.requestId = requestId
      if (trace.charge.state !== "unknown") this.charge = trace.charge
    }
    if (this.outcome === "not executed") return
    if (trace.idempotencyKey !== undefined) this.idempotencyKey = trace.idempotencyKey
    remember(this, trace.memory)
  }
}
