import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpResource from "effect/observability/OtlpResource"
import { OtlpSerialization } from "effect/observability/OtlpSerialization"
import * as Semaphore from "effect/Semaphore"
import type { Span } from "./Span.ts"

/** Where spans go when they have ended. */
export interface SpanSink {
  readonly push: (spans: ReadonlyArray<Span>) => void
}

export interface ExporterOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Readonly<Record<string, string>>
  /** Spans that wait to be sent. Further ones are dropped. */
  readonly queueSize: number
  /** The most spans of one request. */
  readonly batchSize: number
  readonly intervalMillis: number
  /** For one request to the collector. */
  readonly timeoutMillis: number
  /** How long a shutdown waits for the collector. */
  readonly shutdownMillis: number
}

/** Effect's exporter sends nothing for this long after a failure. */
const pauseMillis = 60_000

/** For one batch with its retries: a collector may ask to wait for hours. */
const batchMillis = 60_000

/** What to tell of a failure: no address, header or text of the collector. */
const reasonOf = ({ reason, response }: HttpClientError): string => {
  if (response !== undefined) return `status ${response.status}`
  return reason._tag === "TransportError" && reason.description === late ? late : "no connection"
}

const late = "no answer in time"

/**
 * Sends spans in batches, one at a time, by Effect's OTLP exporter. What waits is bounded. While the collector fails, spans
 * are dropped and counted, with a warning once a minute.
 */
export const make = Effect.fnUntraced(function* (options: ExporterOptions) {
  const { batchSize, headers, intervalMillis, queueSize, shutdownMillis, timeoutMillis, url } = options
  const clock = yield* Clock.Clock
  const serialization = yield* OtlpSerialization
  const flusher = yield* OtlpExporter.Flusher
  const resource = OtlpResource.make({ attributes: options.resource })
  const scope = { name: "tollgate" }
  const oneAtATime = Semaphore.makeUnsafe(1)
  const queue: Array<Span> = []
  let wake: (() => void) | undefined
  let dropped = 0
  let toldDropped = 0
  let delivered = false
  let reason = "not sent"
  let pausedUntil: number | undefined

  const client = HttpClient.transform(yield* HttpClient.HttpClient, (response, request) =>
    response.pipe(
      Effect.timeout(timeoutMillis),
      Effect.catchTag("TimeoutError", () =>
        Effect.fail(new HttpClientError({ reason: new TransportError({ request, description: late }) }))
      ),
      Effect.tap(({ status }) => Effect.sync(() => (reason = `status ${status}`))),
      Effect.tapError((error) => Effect.sync(() => (reason = reasonOf(error))))
    )
  )
  const exporter = yield* OtlpExporter.make({
    url,
    headers,
    label: "tollgate",
    // Batches are sent by `flush` only, so that one is under way at a time.
    exportInterval: "1 day",
    maxBatchSize: "disabled",
    shutdownTimeout: 0,
    body: (spans) => [
      serialization.traces({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }),
      Effect.sync(() => {
        delivered = true
      })
    ]
  }).pipe(Effect.provideService(HttpClient.HttpClient, client))

  /** The spans that were dropped since the last warning. */
  const droppedSince = () => {
    const spans = dropped - toldDropped
    toldDropped = dropped
    return { spans }
  }

  const failed = (count: number) => {
    dropped += count + queue.length
    queue.length = 0
    pausedUntil = clock.currentTimeMillisUnsafe() + pauseMillis
    return Effect.logWarning("traces could not be exported", { reason, ...droppedSince() })
  }

  const send = Effect.suspend(() => {
    const batch = queue.splice(0, batchSize)
    delivered = false
    reason = "not sent"
    for (const span of batch) exporter.push(span.toOtlp())
    return Effect.flatMap(Effect.timeoutOption(flusher.flush, batchMillis), () =>
      delivered ? Effect.void : failed(batch.length)
    )
  })

  const drain: Effect.Effect<void> = Effect.suspend(() =>
    queue.length === 0 ? Effect.void : Effect.andThen(send, drain)
  )

  /** After a pause Effect's exporter takes spans again only after an empty flush. */
  const resume = Effect.suspend(() => {
    if (pausedUntil === undefined || clock.currentTimeMillisUnsafe() < pausedUntil) return Effect.void
    return Effect.map(flusher.flush, () => {
      pausedUntil = undefined
    })
  })

  const warnOfDropped = Effect.suspend(() => {
    if (dropped === toldDropped || pausedUntil !== undefined) return Effect.void
    return Effect.logWarning("traces were dropped", { reason: "queue full", ...droppedSince() })
  })

  const filled = Effect.callback<void>((done) => {
    if (queue.length >= batchSize) return done(Effect.void)
    wake = () => done(Effect.void)
  })
  yield* Effect.timeoutOption(filled, intervalMillis).pipe(
    Effect.andThen(oneAtATime.withPermits(1)(Effect.andThen(resume, drain))),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.sleep(pauseMillis).pipe(Effect.andThen(warnOfDropped), Effect.forever, Effect.forkScoped)
  // Runs before the fibers above end.
  yield* Effect.addFinalizer(() =>
    oneAtATime.withPermits(1)(drain).pipe(Effect.interruptible, Effect.timeoutOption(shutdownMillis))
  )

  const sink: SpanSink & {
    /** All spans that were never sent. */
    readonly dropped: () => number
  } = {
    dropped: () => dropped,
    push: (spans) => {
      const room = pausedUntil === undefined ? queueSize - queue.length : 0
      const taken = Math.max(0, Math.min(room, spans.length))
      dropped += spans.length - taken
      for (let i = 0; i < taken; i++) {
        const span = spans[i]
        if (span !== undefined) queue.push(span)
      }
      if (queue.length >= batchSize) wake?.()
    }
  }
  return sink
})
