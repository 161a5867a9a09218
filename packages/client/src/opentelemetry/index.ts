import { oncePer } from "@tollgate/contract/oncePer"
import {
  type Attributes,
  context,
  type Context as Surroundings,
  createContextKey,
  type MeterProvider,
  metrics as api,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace
} from "@opentelemetry/api"
import { type Figure, figures, measure } from "../observe/figures.ts"
import type { Ended, Observer, Sight } from "../observe/Observer.ts"
import { version } from "../options/environment.ts"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"
import { attributesAtBegin, attributesAtEnd, failedAttributes, nameOf } from "../observe/spans.ts"
import type { Around } from "../call/request.ts"
import type * as Layer from "effect/Layer"
import { observe } from "../observe/observe.ts"

type Add = (value: number, labels: Readonly<Record<string, string | number>>) => void

const makeInstruments = (provider: MeterProvider): ReadonlyMap<Figure, Add> => {
  const meter = provider.getMeter("@tollgate/client", version)
  return new Map(
    figures.map((figure): readonly [Figure, Add] => {
      const { boundaries, description, name, unit } = figure
      if (boundaries === undefined) {
        const counter = meter.createCounter(name, { description, unit })
        return [figure, (value, labels) => counter.add(value, labels)]
      }
      const advice = { explicitBucketBoundaries: [...boundaries] }
      const histogram = meter.createHistogram(name, { description, unit, advice })
      return [figure, (value, labels) => histogram.record(value, labels)]
    })
  )
}

const instrumentsOf = /* @__PURE__ */ oncePer(makeInstruments)

const metrics: Observer = () => ({
  ended: (call) => {
    // Of a provider that is registered after the client was made, too.
    const adds = instrumentsOf(api.getMeterProvider())
    for (const { figure, labels, value } of measure(call)) adds.get(figure)?.(value, labels)
  }
})

/**
 * Where the call stands. Effect keeps the active context of a fiber. Spans of its own tracer reach no exporter, so only those of a
 * tracer that the program has set are parents.
 */
const surroundingsOf = (fiber: Fiber.Fiber<unknown, unknown>): Surroundings => {
  const active = context.active()
  const { span, tracer } = fiber.cache
  if (span === undefined || tracer === undefined) return active
  const { sampled, spanId, traceId } = span
  const place: SpanContext = { traceId, spanId, traceFlags: sampled ? 1 : 0 }
  // A tracer that registers its spans has them active, with all that a sampler may read.
  const isActive = trace.getSpanContext(active)?.spanId === spanId
  return isActive || !trace.isSpanContextValid(place) ? active : trace.setSpanContext(active, place)
}

/** Only the place in the trace. Baggage is for the program's own services. */
const headersOf = (place: SpanContext): Record<string, string> => {
  if (!trace.isSpanContextValid(place)) return {}
  const state = place.traceState?.serialize() ?? ""
  return {
    traceparent: `00-${place.traceId}-${place.spanId}-${(place.traceFlags & 1) === 1 ? "01" : "00"}`,
    ...(state === "" ? {} : { tracestate: state })
  }
}

/** The key of OpenTelemetry's SDK. */
const suppressed = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING")

/** Not traced again: an instrumentation would add a second `traceparent`, and the gateway ignores both then. */
const untraced =
  (surroundings: Surroundings): Around =>
  (request) =>
    Effect.withFiber((fiber) => {
      const { tracer = Tracer.nativeTracer } = fiber.cache
      const hidden = Tracer.make({
        span: (options) => tracer.span(options),
        context: (primitive, running) => context.with(surroundings, () => primitive["~effect/Effect/evaluate"](running))
      })
      return Effect.provideService(request, Tracer.Tracer, hidden)
    })

const known = (attributes: Readonly<Record<string, unknown>>): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes

const end = (span: Span, ended: Ended): void => {
  span.setAttributes(known(attributesAtEnd(ended)))
  // The error itself may contain the input.
  if (ended.failed !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: ended.failed.outcome })
  span.end()
}

const sightOf = (span: Span, surroundings: Surroundings): Sight => {
  const place = span.spanContext()
  return {
    headers: headersOf(place),
    around: untraced(trace.setSpan(surroundings, span).setValue(suppressed, true)),
    ...(trace.isSpanContextValid(place)
      ? {
          span: Tracer.externalSpan({
            traceId: place.traceId,
            spanId: place.spanId,
            sampled: (place.traceFlags & 1) === 1
          })
        }
      : {}),
    attempted: (number, failed) =>
      void span.addEvent("tollgate.attempt", {
        "tollgate.attempt": number,
        ...(failed === undefined ? {} : known(failedAttributes(failed)))
      }),
    ended: (ended) => end(span, ended)
  }
}

/** Makes a span for each call, below the active one, and sends its place in the trace to the gateway. */
const spans: Observer = (begun) =>
  Effect.withFiber((fiber) => {
    if (!fiber.cache.tracerEnabled) return Effect.succeed({})
    const surroundings = surroundingsOf(fiber)
    const span = trace
      .getTracer("@tollgate/client", version)
      .startSpan(nameOf(begun), { kind: SpanKind.CLIENT, attributes: known(attributesAtBegin(begun)) }, surroundings)
    return Effect.succeed(sightOf(span, surroundings))
  })

/**
 * Reports every call to the providers that are registered with `@opentelemetry/api`, as spans and metrics, and sends
 * `traceparent` to the gateway: `createClient({ observe: openTelemetry() })`. With Effect it is a layer beside the client. Observers of
 * your own are told too.
 */
export const openTelemetry = (...observers: ReadonlyArray<Observer>): Layer.Layer<never> =>
  observe(spans, metrics, ...observers)
