import { encode } from "@tollgate/contract/errors/encode"
import type { Family } from "@tollgate/contract/errors/Family"
import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Accepted } from "../../Exchange.ts"
import type { Refused } from "../../Refused.ts"
import type { RefusedReply, Reply, StreamReply, WholeReply } from "../../Reply.ts"
import type { Answer } from "../../upstream/Protocol.ts"
import { corsHeaders } from "./cors.ts"

type Response = HttpServerResponse.HttpServerResponse
type Head = Omit<Answer, "bytes">

const requestIdHeader = Headers.requestId.toLowerCase()

const bodyOptions = ({ contentType, status }: Head) =>
  contentType === undefined ? { status } : { status, contentType }

/** Adds the gateway's own headers, in place to avoid two copies: nobody else has this response's headers yet. */
const addHeaders = (
  response: Response,
  { charge, exchange, limits }: WholeReply | StreamReply,
  upstreamHeaders: Head["headers"]
): Response => {
  const headers: Record<string, string> = response.headers
  const { names } = exchange.operation
  for (const name in upstreamHeaders) headers[name.toLowerCase()] = upstreamHeaders[name] ?? ""
  RateLimits.encodeInto(headers, limits)
  if (charge.state !== "unknown") {
    headers[Headers.costState.key(names)] = charge.state
    if (charge.micros !== undefined) headers[Headers.cost.key(names)] = String(charge.micros)
  }
  headers[requestIdHeader] = exchange.requestId
  const cors = corsHeaders(exchange)
  return cors === undefined ? response : HttpServerResponse.setHeaders(response, cors)
}

const whole = (reply: WholeReply): Response => {
  const { answer } = reply
  return addHeaders(HttpServerResponse.uint8Array(answer.bytes, bodyOptions(answer)), reply, answer.headers)
}

/** Asks proxies not to buffer events. */
const unbuffered = { "cache-control": "no-cache", "x-accel-buffering": "no" }

const stream = (reply: StreamReply): Response => {
  const { body, head } = reply
  const response = HttpServerResponse.stream(body, bodyOptions(head))
  return addHeaders(response, reply, { ...unbuffered, ...head.headers })
}

const familyByPath = (path: string): Family => {
  if (path.startsWith("/v1beta/")) return "gemini"
  if (path.startsWith("/v1/")) return "openai"
  return path.startsWith("/apis/v1/services/aigc/") ? "task" : "data"
}

/** The error family of the operation at this path, or of the path's prefix. Quote mode has one shape for credential errors. */
const familyOf = ({ match, path, request }: Accepted, { refusal: { code } }: Refused, names: Names): Family => {
  const quoting = request.headers[Headers.costMode.key(names)] !== undefined
  if (quoting && (code === "missing_credential" || code === "invalid_credential")) return "data"
  const operation = match?.operations.get(request.method) ?? match?.operations.values().next().value
  return operation?.family ?? familyByPath(path)
}

const refused = ({ exchange, limits, refused }: RefusedReply, names: Names): Response => {
  const { requestId } = exchange
  const { body, headers, status } = encode(familyOf(exchange, refused, names), { ...refused.refusal, requestId })
  return HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: {
      ...corsHeaders(exchange),
      ...headers,
      ...RateLimits.encode(limits),
      ...refused.headers,
      [Headers.requestId]: requestId
    }
  })
}

/** Encodes a reply as an HTTP response. */
export const respond = (reply: Reply, names: Names): Response => {
  switch (reply.kind) {
    case "whole":
      return whole(reply)
    case "stream":
      return stream(reply)
    case "refused":
      return refused(reply, names)
  }
}
