import { encode } from "@tollgate/contract/errors/encode"
import { AddressLimit, nosniff } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"

type Page<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

const standard = { burst: 60, perMinute: 120 }

const tooMany = (what: string, retryAfter: number) => {
  const message = `Too many requests for ${what} came from this address; slow down.`
  const { body, headers, status } = encode("data", { code: "rate_limit_exceeded", message, retryAfter })
  return HttpServerResponse.jsonUnsafe(body, { status, headers: { ...nosniff, ...headers } })
}

/** Limits pages that need no credential, by client address. */
export const limitPage = (what: string, limit = standard) => {
  const addresses = new AddressLimit(limit)
  return <E, R>({ remoteAddress }: HttpServerRequest, page: Page<E, R>): Page<E, R> =>
    Effect.clockWith((clock) => {
      const wait = addresses.take(Option.getOrUndefined(remoteAddress), clock.currentTimeMillisUnsafe())
      return wait > 0 ? Effect.succeed(tooMany(what, wait)) : page
    })
}
