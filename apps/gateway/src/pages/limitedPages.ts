import { encode } from "@tollgate/contract/errors/encode"
import { AddressLimit, Docs, type EndpointGroup, type Gateway, nosniff } from "@tollgate/gateway"
import { Description } from "@tollgate/sandbox"
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

/** The reference at `/docs`, limited by address. */
export const docsPages = (gateway: () => Gateway.Gateway, options: Docs.Options) =>
  Effect.map(Docs.make(gateway, options), (docs): Docs.DocsEndpoints => {
    const limited = limitPage("the documentation")
    return {
      paths: docs.paths,
      answer: (request, path) => {
        const answer = docs.answer(request, path)
        return answer && limited(request, answer)
      },
      missing: (request) => {
        const answer = docs.missing(request)
        return answer && limited(request, answer)
      }
    }
  })

/** The pages of the sandbox, while there is one. They need no credential, so they are limited by address. */
export const sandboxPages = <E, R>(
  sandbox: () => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> | undefined
): EndpointGroup.EndpointGroup<E, R> => {
  const limited = limitPage("the sandbox's pages")
  return {
    paths: Description.pagePaths,
    answer: (request) => {
      const pages = sandbox()
      return pages === undefined || request.method !== "GET"
        ? undefined
        : limited(request, Effect.map(pages, HttpServerResponse.setHeaders(nosniff)))
    }
  }
}
