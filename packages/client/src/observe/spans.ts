import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Span } from "effect/Tracer"
import { attributesAtBegin, attributesAtEnd, failedAttributes, nameOf } from "./attributes.ts"
import type { Failed, Observer, Sight } from "./Observer.ts"

interface Options {
  /** Tells the gateway which trace a call belongs to, in the header `traceparent`. It is not told unless this says so. */
  readonly propagate?: boolean
}

/** The header, if the tracer's ids can stand in one. */
const traceparent = ({ sampled, spanId, traceId }: Span): Record<string, string> => {
  const value = `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
  return /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/.test(value) ? { traceparent: value } : {}
}

/** What a span ends with in place of the error, all of whose fields an exporter may print. */
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

const unseen: Effect.Effect<Sight> = Effect.succeed({ ended: () => Effect.void })

/** A span for each call, by OpenTelemetry's conventions for models where it calls one, with an event for each attempt. */
export const spans =
  ({ propagate = false }: Options = {}): Observer =>
  (begun) =>
    Effect.withFiber(({ cache: { tracer, tracerEnabled } }) => {
      if (tracer === undefined || !tracerEnabled) return unseen
      return Effect.map(Effect.makeSpan(nameOf(begun), { kind: "client" }), (span): Sight => {
        if (span.sampled) write(span, attributesAtBegin(begun))
        return {
          span,
          headers: propagate ? traceparent(span) : {},
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
