import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"

/** Hides credentials in the traces of requests. For the HTTP server that runs the gateway. */
export const layer: Layer.Layer<never> = Layer.mergeAll(
  Layer.effect(
    UrlParams.CurrentRedactedNames,
    Effect.map(UrlParams.CurrentRedactedNames, (names) => [...names, "key"])
  ),
  Layer.effect(
    Headers.CurrentRedactedNames,
    Effect.map(Headers.CurrentRedactedNames, (names) => [...names, "x-goog-api-key", "proxy-authorization"])
  )
)
