import { encode } from "@tollgate/contract/errors/encode"
import { AddressLimit, nosniff } from "@tollgate/gateway"
import { Description } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

const limit = { burst: 60, perMinute: 120 }

const tooMany = (retryAfter: number) => {
  const message = "Too many requests for the sandbox's pages came from this address; slow down."
  const { body, headers, status } = encode("data", { code: "rate_limit_exceeded", message, retryAfter })
  return HttpServerResponse.jsonUnsafe(body, { status, headers: { ...nosniff, ...headers } })
}

/**
 * Puts the pages of the sandbox in front of an app, if there is a sandbox at the time of the request. They need no
 * credential, so they are limited by address.
 */
export const withPages = <E, R, E2, R2>(
  app: App<E, R>,
  sandbox: () => App<E2, R2> | undefined
): App<E | E2, R | R2 | HttpServerRequest> => {
  const addresses = new AddressLimit(limit)
  return HttpServerRequest.use(({ method, remoteAddress, url }): App<E | E2, R | R2> => {
    const pages = sandbox()
    if (pages === undefined || !Description.isPage(method, url)) return app
    return Effect.clockWith((clock) => {
      const wait = addresses.take(Option.getOrUndefined(remoteAddress), clock.currentTimeMillisUnsafe())
      return wait > 0 ? Effect.succeed(tooMany(wait)) : Effect.map(pages, HttpServerResponse.setHeaders(nosniff))
    })
  })
}
