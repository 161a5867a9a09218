import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"

/** Each proxy adds, at the end, the address that connected to it. What is before those entries anybody may have sent. */
const addressIn = (forwardedFor: string | undefined, proxies: number): string | undefined =>
  forwardedFor?.split(",").at(-proxies)?.trim() || undefined

/** Behind this many proxies, takes the client's address from `X-Forwarded-For` instead of from the socket. */
export const trustProxies =
  (proxies: number) =>
  <E, R>(app: Effect.Effect<HttpServerResponse, E, R>): Effect.Effect<HttpServerResponse, E, R | HttpServerRequest> =>
    proxies === 0
      ? app
      : HttpServerRequest.use((request): Effect.Effect<HttpServerResponse, E, R | HttpServerRequest> => {
          const address = addressIn(request.headers["x-forwarded-for"], proxies)
          if (address === undefined) return app
          const forwarded = request.modify({ remoteAddress: Option.some(address) })
          return Effect.provideService(app, HttpServerRequest, forwarded)
        })
