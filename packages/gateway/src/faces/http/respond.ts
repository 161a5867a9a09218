import { codes } from "@tollgate/contract/errors/codes"
import { encode } from "@tollgate/contract/errors/encode"
import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { RefusedReply, Reply, StreamReply, WholeReply } from "../../exchange/Reply.ts"
import type { Answer } from "../../exchange/Answer.ts"
import { corsHeaders } from "./cors.ts"
import { familyOf, isAnthropic } from "./family.ts"
import { isInert, nosniff, sandboxed, unbuffered } from "./security.ts"

type Response = HttpServerResponse.HttpServerResponse
type Head = Omit<Answer, "bytes">

const requestIdHeader = Headers.requestId.toLowerCase()
const anthropicRequestId = Headers.anthropicRequestId.toLowerCase()
const shouldRetry = Headers.shouldRetry.toLowerCase()

const bodyOptions = ({ contentType, status }: Head) =>
  contentType === undefined ? { status } : { status, contentType }

/**
 * Adds the gateway's own headers, in place to avoid two copies: nobody else has this response's headers yet. An empty response
 * that is made without headers shares Effect's own empty ones, so it is made with some.
 */
const addHeaders = (
  response: Response,
  { charge, exchange, limits }: WholeReply | StreamReply,
  { contentType, headers: upstreamHeaders, status }: Head
): Response => {
  const headers: Record<string, string> = response.headers
  const { family, names, replay } = exchange.operation
  headers["x-content-type-options"] = "nosniff"
  if (!isInert(contentType)) headers["content-security-policy"] = sandboxed
  for (const name in upstreamHeaders) headers[name.toLowerCase()] = upstreamHeaders[name] ?? ""
  // The upstream may have created something all the same.
  if (status >= 500 && replay === "create") headers[shouldRetry] = "false"
  RateLimits.encodeInto(headers, limits)
  if (charge.state !== "unknown") {
    headers[Headers.costState.key(names)] = charge.state
    if (charge.micros !== undefined) headers[Headers.cost.key(names)] = String(charge.micros)
  }
  headers[requestIdHeader] = exchange.requestId
  if (isAnthropic(exchange, family)) headers[anthropicRequestId] = exchange.requestId
  const cors = corsHeaders(exchange)
  return cors === undefined ? response : HttpServerResponse.setHeaders(response, cors)
}

const whole = (reply: WholeReply): Response => {
  const { answer } = reply
  const { bytes, contentType, status } = answer
  const response =
    status === 304 || (bytes.length === 0 && contentType === undefined)
      ? HttpServerResponse.empty({ status, headers: {} })
      : HttpServerResponse.uint8Array(bytes, bodyOptions(answer))
  return addHeaders(response, reply, answer)
}

const stream = (reply: StreamReply): Response => {
  const { body, head } = reply
  const response = HttpServerResponse.stream(body, bodyOptions(head))
  return addHeaders(response, reply, { ...head, headers: { ...unbuffered, ...head.headers } })
}

const refused = ({ exchange, limits, refused }: RefusedReply, names: Names): Response => {
  const { requestId } = exchange
  const family = familyOf(exchange, refused, names)
  const { body, headers, status } = encode(family, { ...refused.refusal, requestId })
  return HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: {
      ...nosniff,
      ...corsHeaders(exchange),
      ...headers,
      ...RateLimits.encode(limits),
      ...(codes[refused.refusal.code].outcome === "not executed" ? { [Headers.costState(names)]: "none" } : {}),
      ...refused.headers,
      [Headers.requestId]: requestId,
      ...(isAnthropic(exchange, family) ? { [Headers.anthropicRequestId]: requestId } : {})
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
