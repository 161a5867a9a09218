import { PrintedError } from "@tollgate/contract/errors/TaggedError"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import { remember } from "../call/memory.ts"
import { askCost, progressOf } from "../events/Reading.ts"
import type { Progress, Trace } from "../call/trace.ts"

const isTimeout = (reason: unknown): boolean =>
  typeof reason === "object" && reason !== null && "name" in reason && reason.name === "TimeoutError"

const outcomeOf = ({ reading, sent, taskId }: Trace, paid: Progress | undefined): Outcome => {
  if (reading !== undefined) return progressOf(reading).outcome
  if (sent || taskId !== undefined) return "unknown"
  return paid === undefined || paid.steps.length === 0 ? "not executed" : "executed"
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
export class CallAborted extends PrintedError {
  readonly _tag = "CallAborted"
  readonly operation: string
  readonly outcome: Outcome
  /** Of a billed call that was sent. `resume` asks for its outcome. */
  declare readonly idempotencyKey?: string
  /** Of a video that was waited for. The task goes on; pass this to `awaitVideo` to wait for it. */
  declare readonly taskId?: string
  /** Of `runTools` and `toolSteps`: what was paid for. If the tools of the last step were stopped, `resume` gets it again, unpaid. */
  declare readonly steps?: Progress["steps"]
  /** Of a stream that had begun. `charge(client, requestId)` tells what it cost. */
  declare readonly requestId?: string
  /** Of `runTools` and `toolSteps`: what all steps have cost together. Of a stream: its charge, if `leftCharge` or its end told it. */
  declare readonly charge?: Charge
  /** Goes on with the loop: `runTools(model, tools, resume.input, { ...options, ...resume.options })`. */
  declare readonly resume?: Progress["resume"]

  constructor(trace: Trace, reason: unknown, message = "The call was aborted") {
    super(message + adviceOf(trace), { cause: reason })
    this.name = isTimeout(reason) ? "TimeoutError" : "AbortError"
    this.operation = trace.operation
    const paid = trace.progress?.()
    this.outcome = outcomeOf(trace, paid)
    if (trace.taskId !== undefined) this.taskId = trace.taskId
    if (trace.reading !== undefined) {
      const { requestId } = progressOf(trace.reading)
      if (requestId !== undefined) this.requestId = requestId
      if (trace.charge.state !== "unknown") this.charge = trace.charge
    }
    if (paid !== undefined) {
      const { charge, resume, steps } = paid
      this.charge = charge
      // Too long to be printed.
      Object.defineProperties(this, { steps: { value: steps }, resume: { value: resume } })
    }
    if (this.outcome === "not executed") return
    if (trace.idempotencyKey !== undefined) this.idempotencyKey = trace.idempotencyKey
    remember(this, trace.memory)
  }
}
