import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import { answersHead } from "../../call/router/Router.ts"
import type { Accepted, Request } from "../../exchange/Exchange.ts"
import type { Gateway } from "../../call/Gateway.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { preflight, respond } from "./respond.ts"
import type { HttpServerError } from "effect/http/HttpServerError"
import { JsonBounds, uncheckedBytes } from "../../internal/jsonScan.ts"

/** The causes by which an adapter reports why it does not read on. */
interface StoppedReading {
  readonly _tag: "BodyTooLarge" | "BodyStopped" | "BodiesTooLarge"
  /** The limit that was exceeded, in bytes. */
  readonly limit?: number
}

/** An adapter may offer the bytes as they arrived, and stop at a limit or when `accepts` returns false for a chunk. */
interface BoundedReading {
  readonly bytesWithin?: (
    maxBytes: number,
    accepts: (chunk: Uint8Array) => boolean
  ) => Effect.Effect<Uint8Array, HttpServerError>
}

const tooLarge = (maxBytes: number) => refuse("body_too_large", `The body is larger than ${maxBytes} bytes.`)
const tooComplex = (what: string) => refuse("invalid_request", `The body has ${what}, which is too much.`)
const unreadable = refuse("invalid_request", "The body could not be read.")
const overloaded = refuse("overloaded", "The gateway holds too many large bodies at the moment.", { retryAfter: 1_000 })

const stoppedBy = ({ reason: { cause } }: HttpServerError): Partial<StoppedReading> =>
  typeof cause === "object" && cause !== null ? cause : {}

const readWhole = (
  request: HttpServerRequest,
  maxBytes: number,
  isJson: boolean,
  mostEscapes: number | undefined
): Effect.Effect<Uint8Array, Refused> =>
  Effect.matchEffect(request.arrayBuffer, {
    onFailure: () => Effect.fail(unreadable),
    onSuccess: (buffer) => {
      const bytes = new Uint8Array(buffer)
      if (bytes.length > maxBytes) return Effect.fail(tooLarge(maxBytes))
      const excess = isJson && bytes.length > uncheckedBytes ? new JsonBounds(mostEscapes).push(bytes) : undefined
      return excess === undefined ? Effect.succeed(bytes) : Effect.fail(tooComplex(excess))
    }
  })

/** Reads a body. A larger one than `maxBytes`, or JSON that would take too long to parse, is refused while it arrives. */
export const readBody = (
  request: HttpServerRequest & BoundedReading,
  maxBytes: number,
  isJson = true,
  mostEscapes?: number
): Effect.Effect<Uint8Array, Refused> => {
  if (request.bytesWithin === undefined) return readWhole(request, maxBytes, isJson, mostEscapes)
  let bounds: JsonBounds | undefined
  let excess: string | undefined
  const accepts = (chunk: Uint8Array): boolean => {
    if (!isJson) return true
    excess = (bounds ??= new JsonBounds(mostEscapes)).push(chunk)
    return excess === undefined
  }
  return Effect.mapBothEager(request.bytesWithin(maxBytes, accepts), {
    onSuccess: (bytes) => bytes,
    onFailure: (error) => {
      if (excess !== undefined) return tooComplex(excess)
      const { _tag, limit = maxBytes } = stoppedBy(error)
      if (_tag === "BodyTooLarge") return tooLarge(limit)
      return _tag === "BodiesTooLarge" ? overloaded : unreadable
    }
  })
}

/** A response that is streamed and not read is ended when the scope closes. */
export type App = Effect.Effect<HttpServerResponse, never, HttpServerRequest | Scope>

/** An adapter may know how many milliseconds ago the first bytes of a request arrived. */
interface Arriving {
  readonly waited?: number
}

export const requestOf = (request: HttpServerRequest & Arriving): Request => ({
  method: request.method,
  url: request.url,
  headers: request.headers,
  readBody: (maxBytes, isJson) => readBody(request, maxBytes, isJson),
  waited: request.waited,
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

/** An adapter that keeps the body of a request may be told that nobody reads it again. */
interface KeepsBody {
  readonly forgetBody?: () => void
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
  return (request: HttpServerRequest & Cuttable & KeepsBody): Effect.Effect<HttpServerResponse, never, Scope> => {
    const inForce = gateway()
    const { catalogue, run } = inForce
    const given = inForce.accept(requestOf(request))
    if (request.method === "OPTIONS") return Effect.succeed(preflight(given))
    const accepted = request.method === "HEAD" ? readAs(inForce, given) : given
    request.ifCut?.(answerCut, accepted.requestId)
    return Effect.map(run(accepted), (reply) => {
      // A stream may go on for long after its request was sent on.
      if (reply.kind === "stream") request.forgetBody?.()
      return respond(reply, catalogue.names)
    })
  }
}

/** The gateway over HTTP, without other endpoint groups. */
export const app = (gateway: () => Gateway): App => HttpServerRequest.use(answer(gateway))

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
