import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Span } from "effect/Tracer"
import { attributesAtBegin, attributesAtEnd, failedAttributes, nameOf } from "./attributes.ts"
import type { Failed, Observer, Sight } from "./Observer.ts"

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
