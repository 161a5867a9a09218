import type * as Layer from "effect/Layer"
import { observe } from "../observe/observe.ts"
import type { Observer } from "../observe/Observer.ts"
import { metrics } from "./metrics.ts"
import { spans } from "./spans.ts"

/**
 * Reports every call to the providers that are registered with `@opentelemetry/api`, as spans and metrics, and sends
 * `traceparent` to the gateway: `createClient({ observe: openTelemetry() })`. With Effect it is a layer beside the client. Observers of
 * your own are told too.
 */
export const openTelemetry = (...observers: ReadonlyArray<Observer>): Layer.Layer<never> =>
  observe(spans, metrics, ...observers)
