import { encode } from "@tollgate/contract/errors/encode"
import { AddressLimit, type Face, nosniff } from "@tollgate/gateway"
import { Description } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"

const limit = { burst: 60, perMinute: 120 }

const tooMany = (retryAfter: number) => {
  const message = "Too many requests for the sandbox's pages came from this address; slow down."
  const { body, headers, status } = encode("data", { code: "rate_limit_exceeded", message, retryAfter })
  return HttpServerResponse.jsonUnsafe(body, { status, headers: { ...nosniff, ...headers } })
}

/**
 * The pages of the sandbox, if there is a sandbox at the time of the request. They need no credential, so they are limited
 * by address.
 */
export const sandboxPages = <E, R>(
  sandbox: () => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> | undefined
): Face.Face<E, R> => {
  const addresses = new AddressLimit(limit)
  return ({ method, remoteAddress, url }) => {
    const pages = sandbox()
    if (pages === undefined || !Description.isPage(method, url)) return undefined
    return Effect.clockWith((clock) => {
      const wait = addresses.take(Option.getOrUndefined(remoteAddress), clock.currentTimeMillisUnsafe())
      return wait > 0 ? Effect.succeed(tooMany(wait)) : Effect.map(pages, HttpServerResponse.setHeaders(nosniff))
    })
  }
}
