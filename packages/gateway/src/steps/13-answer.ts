import { encode } from "@tollgate/contract/errors/encode"
import type { Family } from "@tollgate/contract/errors/Family"
import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import type { Charge } from "@tollgate/contract/Outcome"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Stream from "effect/Stream"
import type { Accepted, Routed } from "../Exchange.ts"
import type { Refused } from "../Refused.ts"
import type { Answer } from "../upstream/Protocol.ts"

const anyOrigin = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" }

/** Any page may call: the credential is never ambient, so another origin gains nothing by asking. */
const cors = ({ request }: Accepted) => (request.headers.origin === undefined ? undefined : anyOrigin)

const requestId = Headers.requestId.toLowerCase()

type Headed = Omit<Answer, "bytes">

const bodyType = ({ contentType, status }: Headed) => (contentType === undefined ? { status } : { status, contentType })

/**
 * Adds to the response what is ours to say. In place: the headers of a response with a body were made for it, and to hand
 * them in is to have them copied twice.
 */
const complete = (
  response: HttpServerResponse.HttpServerResponse,
  exchange: Routed,
  passed: Headed["headers"],
  limits: RateLimits.RateLimits,
  charge: Charge
): HttpServerResponse.HttpServerResponse => {
  const headers: Record<string, string> = response.headers
  const { names } = exchange.operation
  for (const name in passed) headers[name.toLowerCase()] = passed[name] ?? ""
  RateLimits.encodeInto(headers, limits)
  if (charge.state !== "unknown") {
    headers[Headers.costState.key(names)] = charge.state
    if (charge.micros !== undefined) headers[Headers.cost.key(names)] = String(charge.micros)
  }
  headers[requestId] = exchange.requestId
  const origins = cors(exchange)
  return origins === undefined ? response : HttpServerResponse.setHeaders(response, origins)
}

export const answer = (
  exchange: Routed,
  whole: Answer,
  limits: RateLimits.RateLimits,
  charge: Charge
): HttpServerResponse.HttpServerResponse =>
  complete(HttpServerResponse.uint8Array(whole.bytes, bodyType(whole)), exchange, whole.headers, limits, charge)

/** Proxies between here and the caller are asked not to hold events back. */
const unbuffered = { "cache-control": "no-cache", "x-accel-buffering": "no" }

/** What it costs is known at the end, when the headers are long gone. */
export const answerStreaming = (
  exchange: Routed,
  streaming: Headed,
  body: Stream.Stream<Uint8Array, unknown>,
  limits: RateLimits.RateLimits,
  charge: Charge
): HttpServerResponse.HttpServerResponse => {
  const passed = { ...unbuffered, ...streaming.headers }
  return complete(HttpServerResponse.stream(body, bodyType(streaming)), exchange, passed, limits, charge)
}

const familyByPath = (path: string): Family => {
  if (path.startsWith("/v1beta/")) return "gemini"
  if (path.startsWith("/v1/")) return "openai"
  return path.startsWith("/apis/v1/services/aigc/") ? "task" : "data"
}

/**
 * The family of the operation at this path, or of its neighbours where there is none. In quote mode an error of
 * authentication has an `error` object whatever the family.
 */
const familyOf = ({ match, path, request }: Accepted, { refusal: { code } }: Refused, names: Names): Family => {
  const quoting = request.headers[Headers.costMode.key(names)] !== undefined
  if (quoting && (code === "missing_credential" || code === "invalid_credential")) return "data"
  const operation = match?.operations.get(request.method) ?? match?.operations.values().next().value
  return operation?.family ?? familyByPath(path)
}

export const refusal = (
  accepted: Accepted,
  refused: Refused,
  names: Names,
  limits: RateLimits.RateLimits
): HttpServerResponse.HttpServerResponse => {
  const { requestId } = accepted
  const { body, headers, status } = encode(familyOf(accepted, refused, names), { ...refused.refusal, requestId })
  return HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: {
      ...cors(accepted),
      ...headers,
      ...RateLimits.encode(limits),
      ...refused.headers,
      [Headers.requestId]: requestId
    }
  })
}

export const preflight = ({ match, request, requestId }: Accepted): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...anyOrigin,
      "access-control-allow-methods": match === undefined ? "GET, POST" : [...match.operations.keys()].join(", "),
      "access-control-allow-headers":
        request.headers["access-control-request-headers"] ?? "authorization, content-type",
      "access-control-max-age": "7200",
      [Headers.requestId]: requestId
    }
  })
