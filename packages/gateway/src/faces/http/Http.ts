import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import type { Request } from "../../Exchange.ts"
import type { Gateway } from "../../Gateway.ts"
import { readBody } from "./body.ts"
import { preflight } from "./cors.ts"
import { respond } from "./respond.ts"

/** A response that is streamed and not read is ended when the scope closes. */
export type App = Effect.Effect<HttpServerResponse, never, HttpServerRequest | Scope>

export const requestOf = (request: HttpServerRequest): Request => ({
  method: request.method,
  url: request.url,
  headers: request.headers,
  readBody: (maxBytes) => readBody(request, maxBytes),
  address: () => Option.getOrUndefined(request.remoteAddress)
})

/** The gateway over HTTP. A request ends in the gateway it began with. */
export const app = (gateway: () => Gateway): App =>
  HttpServerRequest.use((request) => {
    const { accept, catalogue, run } = gateway()
    const accepted = accept(requestOf(request))
    if (request.method === "OPTIONS") return Effect.succeed(preflight(accepted))
    return Effect.map(run(accepted), (reply) => respond(reply, catalogue.names))
  })
