import { parse, type TraceContext } from "./TraceContext.ts"
import type { Bound } from "@tollgate/contract/Operation"
import type { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import type { CallEvent } from "../CallEvent.ts"
import { CallTrace, type Recorder, setCost } from "./CallTrace.ts"
import { type Parent, Span } from "./Span.ts"
import type { SpanSink } from "./SpanExporter.ts"

export interface Sampling {
  /** The share of traces that begin here and are recorded, 0 to 1. */
  readonly ratio: number
  /** Whether a caller's decision counts. */
  readonly followsCallers: boolean
  /** How many traces a second may be recorded because their callers want it. */
  readonly callersPerSecond: number
}

/**
 * Decides which traces are recorded. Callers choose their trace ids and flags freely. So chance decides, not the trace id, and
 * what callers ask for is limited: above the limit their traces are chosen as if they had begun here.
 */
export class Sampler {
  readonly #sampling: Sampling
  readonly #random: () => number
  #allowance: number
  #refilledAt = -Infinity

  constructor(sampling: Sampling, random: () => number) {
    this.#sampling = sampling
    this.#random = random
    this.#allowance = sampling.callersPerSecond
  }

  records(caller: TraceContext | undefined, nowMillis: number): boolean {
    const { followsCallers, ratio } = this.#sampling
    if (followsCallers && caller !== undefined) {
      if (!caller.sampled) return false
      if (this.#takeAllowance(nowMillis)) return true
    }
    return ratio >= 1 || (ratio > 0 && this.#random() < ratio)
  }

  #takeAllowance(now: number): boolean {
    const { callersPerSecond: most } = this.#sampling
    const passed = Math.max(0, now - this.#refilledAt)
    this.#allowance = Math.min(most, this.#allowance + (passed / 1_000) * most)
    this.#refilledAt = now
    if (this.#allowance < 1) return false
    this.#allowance--
    return true
  }
}

/** Tasks whose creation was recorded and whose end is not known yet. The oldest are forgotten. */
const mostTasks = 10_000

/** The parent of what belongs to something that is not recorded. */
export const unrecorded: TraceContext = { traceId: "0".repeat(32), spanId: "0".repeat(16), sampled: false }

/** An accepted request, as far as its trace is interested in it. */
interface TracedRequest {
  readonly requestId: string
  readonly match: { readonly operations: ReadonlyMap<string, Bound> } | undefined
  readonly request: {
    readonly method: string
    /** Path and query. */
    readonly url: string
    readonly headers: Readonly<Record<string, string | undefined>>
    /** The span that this call is a part of, instead of the one that the headers name. */
    readonly trace?: TraceContext
  }
}

/** Starts the spans of requests, and passes on those that have ended. */
export class Tracing implements Recorder {
  readonly #sampler: Sampler
  readonly #sink: SpanSink
  readonly #clock: Clock
  readonly #tasks = new Map<string, Parent>()

  constructor(sampler: Sampler, sink: SpanSink, clock: Clock) {
    this.#sampler = sampler
    this.#sink = sink
    this.#clock = clock
  }

  /** The first span of a request here, or `undefined` if it is not recorded. */
  start(name: string, caller: TraceContext | undefined): Span | undefined {
    return this.#records(caller) ? new Span(name, "server", this.now(), caller) : undefined
  }

  /** A call that belongs to a tool call is recorded if the tool call is. */
  begin(accepted: TracedRequest): CallTrace | undefined {
    const { match, request, requestId } = accepted
    const { headers, method, trace, url } = request
    const { traceparent, tracestate } = headers
    const isRecorded =
      trace === undefined ? this.#records(traceparent === undefined ? undefined : parse(traceparent)) : trace.sampled
    if (!isRecorded) return undefined
    const operation = match?.operations.get(method)
    const kind = trace === undefined ? "server" : "internal"
    // As the conventions for HTTP name a request: by its route, of which there are few.
    const name = kind === "internal" ? (operation?.id ?? method) : `${method} ${operation?.path ?? ""}`.trimEnd()
    const span = new Span(name, kind, this.now(), trace ?? parse(traceparent, tracestate))
    const query = url.indexOf("?")
    return new CallTrace(this, span, requestId, { method, path: query === -1 ? url : url.slice(0, query) }, operation)
  }

  #records(caller: TraceContext | undefined): boolean {
    return this.#sampler.records(caller, this.#clock.currentTimeMillisUnsafe())
  }

  push(spans: ReadonlyArray<Span>): void {
    this.#sink.push(spans)
  }

  now(): bigint {
    return this.#clock.currentTimeNanosUnsafe()
  }

  rememberTask(call: string, span: Parent): void {
    if (this.#tasks.size >= mostTasks) {
      const [oldest] = this.#tasks.keys()
      if (oldest !== undefined) this.#tasks.delete(oldest)
    }
    this.#tasks.set(call, span)
  }

  /** Records the end of a task, in a trace of its own that is linked to the call which started it. */
  readonly onCallEnded = (event: CallEvent): void => {
    if (event.kind !== "task") return
    const created = this.#tasks.get(event.requestId)
    if (created === undefined) return
    this.#tasks.delete(event.requestId)
    const end = this.now()
    const span = new Span(`task ${event.operation ?? ""}`, "internal", BigInt(event.startedAt) * 1_000_000n)
    span.link(created)
    span.set("tollgate.request.id", event.requestId)
    span.set("tollgate.operation", event.operation)
    span.set("tollgate.upstream", event.upstream)
    setCost(span, event)
    if (event.code !== undefined) span.fail(event.code)
    span.end(end)
    this.push([span])
  }
}

/** Without it nothing is traced. */
export const CurrentTracing = Context.Reference<Tracing | undefined>("@tollgate/gateway/CurrentTracing", {
  defaultValue: () => undefined
})
