import { OnCallEnded } from "@tollgate/gateway"
import { CurrentTracing, Sampler, SpanExporter, Tracing } from "@tollgate/gateway/observe"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { Random } from "effect/Random"
import { randomUUID } from "node:crypto"
import { type DropCounter, Dropped } from "./logging.ts"
import type { TraceSettings } from "../settings/traceSettings.ts"

const shutdownMillis = 3_000

/** A redirect could take the headers, and with them a credential, to another server. */
const client = Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" }))

const make = Effect.fnUntraced(function* (settings: TraceSettings) {
  const resource = { "service.instance.id": randomUUID(), ...settings.resource }
  const sink = yield* SpanExporter.make({ ...settings, resource, shutdownMillis })
  const random = yield* Random
  const sampler = new Sampler(settings.sampling, () => random.nextDoubleUnsafe())
  const tracing = new Tracing(sampler, sink, yield* Clock.Clock)
  const listeners = yield* OnCallEnded
  const dropped: DropCounter = { kind: "span", count: sink.dropped }
  return Context.make(CurrentTracing, tracing).pipe(
    Context.add(OnCallEnded, [...listeners, tracing.onCallEnded]),
    Context.add(Dropped, [...(yield* Dropped), dropped])
  )
})

/** Traces the gateway's calls to a collector. Without settings nothing is traced. */
export const tracing = (settings: TraceSettings | undefined): Layer.Layer<never> => {
  if (settings === undefined) return Layer.empty
  const serialization =
    settings.protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
  return Layer.effectContext(make(settings)).pipe(
    Layer.provide(Layer.mergeAll(serialization, OtlpExporter.layerFlusher, client))
  )
}
