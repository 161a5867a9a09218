import { Description } from "@tollgate/sandbox"
import type * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"

type App<E, R> = Effect.Effect<HttpServerResponse, E, R>

/** Puts the pages of the sandbox in front of an app, if there is a sandbox at the time of the request. */
export const withPages = <E, R, E2, R2>(
  app: App<E, R>,
  sandbox: () => App<E2, R2> | undefined
): App<E | E2, R | R2 | HttpServerRequest> =>
  HttpServerRequest.use(({ method, url }): App<E | E2, R | R2> => {
    const pages = sandbox()
    return pages !== undefined && Description.isPage(method, url) ? pages : app
  })
