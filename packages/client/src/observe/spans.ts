import type { Begun, Ended, Failed, Observer, Sight } from "./Observer.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Span } from "effect/Tracer"

type Attributes = Readonly<Record<string, unknown>>

export const nameOf = ({ genAi, mode, model, operation }: Begun): string => {
  if (genAi === undefined) return mode === "quote" ? `quote ${operation}` : operation
  return model === undefined ? genAi.operation : `${genAi.operation} ${model}`
}

export const attributesAtBegin = ({ genAi, method, mode, model, operation, server }: Begun): Attributes => ({
  "gen_ai.operation.name": genAi?.operation,
  "gen_ai.provider.name": genAi?.provider,
  "gen_ai.request.model": model,
  "gen_ai.request.stream": genAi !== undefined && mode === "stream" ? true : undefined,
  "http.request.method": method,
  "server.address": server?.address,
  "server.port": server?.port,
  "tollgate.operation": operation,
  "tollgate.mode": mode
})

export const failedAttributes = ({ code, outcome, status, type }: Failed): Attributes => ({
  "error.type": type,
  "tollgate.outcome": outcome,
  ...(status === undefined ? {} : { "http.response.status_code": status }),
  ...(code === undefined ? {} : { "tollgate.error.code": code })
})

/** OpenTelemetry counts cache reads and writes as input. */
export const inputTokens = ({ cacheRead = 0, cacheWrite = 0, input }: Ended["usage"]): number | undefined =>
  input === undefined ? undefined : input + cacheRead + cacheWrite

export const attributesAtEnd = (ended: Ended): Attributes => ({
  "gen_ai.response.model": ended.responseModel,
  "gen_ai.usage.input_tokens": inputTokens(ended.usage),
  "gen_ai.usage.output_tokens": ended.usage.output,
  "gen_ai.usage.cache_read.input_tokens": ended.usage.cacheRead,
  "gen_ai.usage.cache_write.input_tokens": ended.usage.cacheWrite,
  "gen_ai.response.time_to_first_chunk":
    ended.genAi === undefined || ended.firstEventMillis === undefined ? undefined : ended.firstEventMillis / 1000,
  "http.response.status_code": ended.status,
  "tollgate.request.id": ended.requestId,
  "tollgate.result": ended.result,
  "tollgate.attempts": ended.attempts,
  "tollgate.replayed": ended.replayed,
  "tollgate.recovered": ended.recovered,
  "tollgate.stream.events": ended.events,
  "tollgate.cost.state": ended.charge.state,
  "tollgate.charge": ended.charge.micros,
  "tollgate.quote.estimate_micros_usd": ended.quote?.estimate.micros,
  "tollgate.quote.max_micros_usd": ended.quote?.max.micros,
  ...(ended.failed === undefined ? {} : failedAttributes(ended.failed))
})

/** The header, if the tracer's ids are valid in it. */
const traceparent = ({ sampled, spanId, traceId }: Span): Record<string, string> => {
  const value = `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
  return /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/.test(value) ? { traceparent: value } : {}
}

/** Replaces the error, since an exporter may print all of its fields. */
const exitOf = ({ outcome, type }: Failed): Exit.Exit<never, Error> => {
  if (type === "interrupted") return Exit.interrupt()
  const error = new Error(outcome)
  error.name = type
  error.stack = `${type}: ${outcome}`
  return Exit.fail(error)
}

const write = (span: Span, attributes: Readonly<Record<string, unknown>>): void => {
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) span.attribute(key, value)
}

const unseen: Effect.Effect<Sight> = Effect.succeed({})

/**
 * Makes a span of Effect's tracer for each call, with an event for each attempt, and sends its place in the trace to the gateway.
 * Without a tracer it does nothing, as in programs with promises: `@tollgate/client/opentelemetry` is for those.
 */
export const spans: Observer = (begun) =>
  Effect.withFiber(({ cache: { tracer, tracerEnabled } }) => {
    if (tracer === undefined || !tracerEnabled) return unseen
    return Effect.map(Effect.makeSpan(nameOf(begun), { kind: "client" }), (span): Sight => {
      if (span.sampled) write(span, attributesAtBegin(begun))
      return {
        span,
        headers: traceparent(span),
        attempted: (number, failed) =>
          Effect.map(Clock.currentTimeNanos, (now) => {
            const attributes = {
              "tollgate.attempt": number,
              ...(failed === undefined ? {} : failedAttributes(failed))
            }
            if (span.sampled) span.event("tollgate.attempt", now, attributes)
          }),
        ended: (ended) =>
          Effect.map(Clock.currentTimeNanos, (now) => {
            if (span.sampled) write(span, attributesAtEnd(ended))
            span.end(now, ended.failed === undefined ? Exit.void : exitOf(ended.failed))
          })
      }
    })
  })
