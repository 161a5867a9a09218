import { type Face, nosniff } from "@tollgate/gateway"
import { Description } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { limitPage } from "./limitPage.ts"

/**
 * The pages of the sandbox, if there is a sandbox at the time of the request. They need no credential, so they are limited
 * by address.
 */
export const sandboxPages = <E, R>(
  sandbox: () => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> | undefined
): Face.Face<E, R> => {
  const limited = limitPage("the sandbox's pages")
  return (request) => {
    const pages = sandbox()
    return pages === undefined || !Description.isPage(request.method, request.url)
      ? undefined
      : limited(request, Effect.map(pages, HttpServerResponse.setHeaders(nosniff)))
  }
}
