import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import type { Names } from "@tollgate/contract/Names"
import type { Accepted, Request } from "../../Exchange.ts"
import type { Gateway } from "../../Gateway.ts"
import { refuse } from "../../Refused.ts"
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

/** An adapter may ask for an answer if it has to end a request itself, because the gateway stops. */
interface Cuttable {
  answerIfCut?: ((outcome: "not executed" | "unknown") => HttpServerResponse) | undefined
}

const reasons = {
  "not executed": refuse("shutting_down", "The gateway is stopping; nothing was executed."),
  unknown: refuse("gateway_stopped", "The gateway stopped before the call had ended; it may have been executed.")
}

const offerAnswer = (request: HttpServerRequest & Cuttable, exchange: Accepted, names: Names): void => {
  if (!("answerIfCut" in request)) return
  request.answerIfCut = (outcome) =>
    respond({ kind: "refused", exchange, refused: reasons[outcome], limits: {} }, names)
}

/** The gateway over HTTP. A request ends in the gateway it began with. */
export const app = (gateway: () => Gateway): App =>
  HttpServerRequest.use((request) => {
    const { accept, catalogue, run } = gateway()
    const accepted = accept(requestOf(request))
    if (request.method === "OPTIONS") return Effect.succeed(preflight(accepted))
    offerAnswer(request, accepted, catalogue.names)
    return Effect.map(run(accepted), (reply) => respond(reply, catalogue.names))
  })
