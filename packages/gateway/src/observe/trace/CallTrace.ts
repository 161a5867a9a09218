import type { Bound } from "@tollgate/contract/Operation"
import type { Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { capped, type Settled } from "@tollgate/ledger/ledger/Settled"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { CallEvent } from "../CallEvent.ts"
import { operationName, providerName } from "@tollgate/contract/GenAi"
import { Span, type Parent } from "./Span.ts"
import type { Reservation, Reserved } from "@tollgate/ledger/ledger/Reservation"
import type { TokenUsage } from "@tollgate/contract/price/evidence"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"

// The names of OpenTelemetry's conventions for generative AI, which are still in development.

/** A call, as far as the conventions are interested in it. */
interface RequestAttributes {
  readonly operation: Bound
  readonly model: string | undefined
  readonly input: { readonly body: unknown }
}

/** The numbers of a request that the conventions have names for, by the names of the protocols. */
const parameters: Readonly<Record<string, string>> = {
  temperature: "temperature",
  top_p: "top_p",
  topP: "top_p",
  top_k: "top_k",
  topK: "top_k",
  max_tokens: "max_tokens",
  max_completion_tokens: "max_tokens",
  max_output_tokens: "max_tokens",
  maxOutputTokens: "max_tokens",
  frequency_penalty: "frequency_penalty",
  frequencyPenalty: "frequency_penalty",
  presence_penalty: "presence_penalty",
  presencePenalty: "presence_penalty",
  seed: "seed",
  n: "choice.count",
  candidateCount: "choice.count"
}

const setNumbers = (span: Span, from: unknown): void => {
  if (!Predicate.isObject(from)) return
  const fields: Readonly<Record<string, unknown>> = { ...from }
  for (const [field, name] of Object.entries(parameters)) {
    const value = fields[field]
    if (typeof value === "number" && Number.isFinite(value)) span.set(`gen_ai.request.${name}`, value)
  }
}

const setRequest = (span: Span, { input, model }: RequestAttributes): void => {
  span.set("gen_ai.request.model", model)
  const { body } = input
  setNumbers(span, body)
  if (Predicate.hasProperty(body, "stream") && body.stream === true) span.set("gen_ai.request.stream", true)
  if (Predicate.hasProperty(body, "generationConfig")) setNumbers(span, body.generationConfig)
}

/** The tokens of an answer. Those of a cache count as input too, as the conventions say. */
const setUsage = (span: Span, { cacheRead, cacheWrite, input, output }: TokenUsage, reasoning = 0): void => {
  span.set("gen_ai.usage.input_tokens", input + cacheRead + cacheWrite)
  span.set("gen_ai.usage.output_tokens", output)
  if (cacheRead > 0) span.set("gen_ai.usage.cache_read.input_tokens", cacheRead)
  if (cacheWrite > 0) span.set("gen_ai.usage.cache_write.input_tokens", cacheWrite)
  if (reasoning > 0) span.set("gen_ai.usage.reasoning.output_tokens", reasoning)
}

const readBytes = 4_096
const modelField = /[{,]\s*"model(?:Version)?"\s*:\s*"([^"\\]{1,128})"/

/** The model that an answer names, if its name is near the start or the end: whole answers are not parsed for it. */
const responseModel = (bytes: Uint8Array): string | undefined => {
  const head = modelField.exec(Utf8.decode(bytes.subarray(0, readBytes)))?.[1]
  if (head !== undefined || bytes.length <= readBytes) return head
  return modelField.exec(Utf8.decode(bytes.subarray(bytes.length - readBytes)))?.[1]
}

/** Exact amounts, as integers of micro-USD. */
export const setCost = (
  span: Span,
  { charge, costState, loss, outcome, value }: Pick<CallEvent, "charge" | "costState" | "loss" | "outcome" | "value">
): void => {
  span.set("tollgate.outcome", outcome)
  span.set("tollgate.cost.state", costState)
  if (costState === "pending" || costState === "unknown") return
  span.set("tollgate.charge", charge)
  span.set("tollgate.value", value)
  if (loss > 0n) span.set("tollgate.loss", loss)
}

const failed = (span: Span, exit: Exit.Exit<unknown, unknown>): void => {
  if (Exit.isSuccess(exit)) return
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  span.fail(isRefused(error) ? error.refusal.code : "internal_error")
}

const isRefused = (error: unknown): error is Refused =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "Refused"

type ReservedOrNot = Extract<Reserved, { readonly kind: "reserved" }> | { readonly kind: "replay" }

/** The reservation of a call, with the amount that was set aside. */
export const inReserve = <A extends ReservedOrNot>(
  trace: CallTrace | undefined,
  reserve: Effect.Effect<A, Refused>
): Effect.Effect<A, Refused> =>
  trace === undefined
    ? reserve
    : trace.inSpan("ledger.reserve", reserve, (span, exit) => {
        if (Exit.isFailure(exit)) return failed(span, exit)
        span.set("tollgate.reservation.state", exit.value.kind)
        if (exit.value.kind === "reserved") span.set("tollgate.reserved", exit.value.reservation.amount)
      })

/** The end of a reservation: `settle` with the exact cost, `release` or `mark_unknown` without one. */
export const inEnd = <A, E>(
  trace: CallTrace | undefined,
  kind: "settle" | "release" | "mark_unknown" | "begin",
  { amount, cap }: Reservation,
  settled: Settled | undefined,
  end: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  trace === undefined
    ? end
    : trace.inSpan(`ledger.${kind}`, end, (span, exit) => {
        span.set("tollgate.reserved", amount)
        failed(span, exit)
        if (settled === undefined) return
        const { charged, loss } = capped(settled.settlement, cap)
        span.set("tollgate.charge", charged)
        span.set("tollgate.value", settled.settlement.value)
        if (loss > 0n) span.set("tollgate.loss", loss)
        span.set("tollgate.cost.state", settled.costState)
      })

/** Takes the spans of calls that have ended. */
export interface Recorder {
  /** Unix nanoseconds. */
  readonly now: () => bigint
  readonly push: (spans: ReadonlyArray<Span>) => void
  /** The call has started a task, whose end is told by another event. */
  readonly rememberTask: (call: string, span: Parent) => void
}

const addressOf = /^https?:\/\/(\[[^\]]+\]|[^:/]+)(?::(\d+))?/

/** An upstream, as far as its span is interested in it. */
interface UpstreamRequest {
  readonly name: string
  readonly baseUrl: string
  readonly protocol: string
}

/** The spans of one call. They are passed on together when the call has ended, so that what is known late is in them. */
export class CallTrace {
  readonly #recorder: Recorder
  readonly #call: Span
  readonly #spans: Array<Span>
  #attempt: Span | undefined

  constructor(
    recorder: Recorder,
    call: Span,
    requestId: string,
    { method, path }: { readonly method: string; readonly path: string },
    operation: Bound | undefined
  ) {
    this.#recorder = recorder
    this.#call = call
    this.#spans = [call]
    call.set("tollgate.request.id", requestId)
    call.set("http.request.method", method)
    call.set("tollgate.operation", operation?.id)
    call.set("http.route", operation?.path)
    call.set("url.path", path)
  }

  get traceId(): string {
    return this.#call.traceId
  }

  get spanId(): string {
    return this.#call.spanId
  }

  /** Runs a part of the call in a span of its own. */
  inSpan<A, E, R>(
    name: string,
    effect: Effect.Effect<A, E, R>,
    ended: (span: Span, exit: Exit.Exit<A, E>) => void
  ): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const span = this.#start(name, "internal")
      return Effect.onExit(effect, (exit) => {
        ended(span, exit)
        span.end(this.#recorder.now())
        return Effect.void
      })
    })
  }

  /** A request to an upstream. It lasts until its answer is whole or its stream has ended. */
  attempt(exchange: RequestAttributes, { baseUrl, name: upstream, protocol }: UpstreamRequest) {
    const { operation } = exchange
    const asked = operationName(operation)
    const name = asked === undefined ? `${operation.method} ${upstream}` : `${asked} ${exchange.model ?? ""}`
    const span = this.#start(name.trim(), "client")
    this.#attempt = span
    span.set("tollgate.upstream", upstream)
    span.set("http.request.method", operation.method)
    const address = addressOf.exec(baseUrl)
    if (address !== null) {
      span.set("server.address", address[1])
      span.set("server.port", Number(address[2] ?? (baseUrl.startsWith("https:") ? 443 : 80)))
    }
    if (asked !== undefined) {
      span.set("gen_ai.operation.name", asked)
      span.set("gen_ai.provider.name", providerName(protocol) ?? upstream)
      setRequest(span, exchange)
    }
    const { sampled, spanId, state, traceId } = span
    return {
      traceId,
      spanId,
      sampled,
      state,
      carried: (exit: Exit.Exit<Incoming, NotCarried | Refused>) => this.#carried(span, exit)
    }
  }

  /** What came of the attempt. A stream goes on. */
  #carried(span: Span, exit: Exit.Exit<Incoming, NotCarried | Refused>): void {
    if (Exit.isFailure(exit)) {
      const error = Cause.findErrorOption(exit.cause)
      span.fail(
        Option.isNone(error) ? "canceled" : "why" in error.value ? error.value.why.replaceAll(" ", "_") : "refused"
      )
      return span.end(this.#recorder.now())
    }
    const { body, status } = exit.value
    span.set("http.response.status_code", status)
    if (status >= 400) span.fail(String(status))
    if (!(body instanceof Uint8Array)) return
    span.end(this.#recorder.now())
    if (status < 400) span.set("gen_ai.response.model", responseModel(body))
  }

  /** The caller gets the first byte of a stream. */
  firstByte(chunk: Uint8Array | undefined): void {
    const now = this.#recorder.now()
    this.#call.event("first_byte", now)
    const attempt = this.#attempt
    attempt?.event("first_byte", now)
    if (attempt !== undefined) {
      attempt.set("gen_ai.response.time_to_first_chunk", Number(now - attempt.startedAt) / 1_000_000_000)
    }
    if (chunk !== undefined) this.#attempt?.set("gen_ai.response.model", responseModel(chunk))
  }

  meteredAs(settled: Settled | undefined): void {
    const span = this.#attempt
    if (settled !== undefined && span !== undefined && settled.usage.input + settled.usage.output > 0) {
      setUsage(span, settled.usage, settled.reasoning)
    }
  }

  end(event: CallEvent): void {
    const now = this.#recorder.now()
    const call = this.#call
    call.set("http.response.status_code", event.status)
    call.set("tollgate.upstream", event.upstream)
    call.set("gen_ai.request.model", event.model)
    call.set("tollgate.error.code", event.code)
    if (event.replayed) call.set("tollgate.replayed", true)
    if (event.kept) call.set("tollgate.kept", true)
    setCost(call, event)
    const failed = event.code ?? (event.status >= 500 ? String(event.status) : undefined)
    // A caller's own mistake is no error of the server, as the conventions for HTTP say. A stream breaks with status 200.
    if (failed !== undefined && (event.status >= 500 || (event.streamed && event.code !== "caller_left")))
      call.fail(failed)
    if (event.streamed && event.code !== undefined) this.#attempt?.fail(event.code)
    if (event.costState === "pending" && event.code === undefined) this.#recorder.rememberTask(event.requestId, call)
    for (const span of this.#spans) span.end(now)
    this.#recorder.push(this.#spans.splice(0))
  }

  #start(name: string, kind: "internal" | "client"): Span {
    const span = new Span(name, kind, this.#recorder.now(), this.#call)
    this.#spans.push(span)
    return span
  }
}
