import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import { answersHead } from "../../call/router/answersHead.ts"
import type { Accepted, Request } from "../../exchange/Exchange.ts"
import type { Gateway } from "../../call/Gateway.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
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

export type AnswerCut = (
  request: HttpServerRequest,
  requestId: string,
  outcome: keyof typeof reasons
) => HttpServerResponse

/** An adapter that has to end a request itself, because the gateway stops, may ask for the answer. */
export interface Cuttable {
  readonly ifCut?: (answer: AnswerCut, requestId: string) => void
}

export const reasons = {
  "not executed": refuse("shutting_down", "The gateway is stopping; nothing was executed."),
  unknown: refuse("gateway_stopped", "The gateway stopped before the call had ended; it may have been executed.")
}

/** A HEAD takes the path of a GET, where it may. The server leaves the body of the answer out. */
const readAs = (gateway: Gateway, accepted: Accepted): Accepted =>
  accepted.match !== undefined && answersHead(accepted.match, gateway.prices)
    ? gateway.accept({ ...accepted.request, method: "GET" })
    : accepted

/** Answers a request for an operation. It ends in the gateway it began with. */
export const answer = (gateway: () => Gateway) => {
  const answerCut: AnswerCut = (request, requestId, outcome) => {
    const { accept, catalogue } = gateway()
    const exchange = { ...accept(requestOf(request)), requestId }
    return respond({ kind: "refused", exchange, refused: reasons[outcome], limits: {} }, catalogue.names)
  }
  return (request: HttpServerRequest & Cuttable): Effect.Effect<HttpServerResponse, never, Scope> => {
    const inForce = gateway()
    const { catalogue, run } = inForce
    const given = inForce.accept(requestOf(request))
    if (request.method === "OPTIONS") return Effect.succeed(preflight(given))
    const accepted = request.method === "HEAD" ? readAs(inForce, given) : given
    request.ifCut?.(answerCut, accepted.requestId)
    return Effect.map(run(accepted), (reply) => respond(reply, catalogue.names))
  }
}

/** The gateway over HTTP, without other faces. */
export const app = (gateway: () => Gateway): App => HttpServerRequest.use(answer(gateway))
