import { costsNothing } from "@tollgate/contract/errors/codes"
import { encode } from "@tollgate/contract/errors/encode"
import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { RefusedReply, Reply, StreamReply, WholeReply, Answer } from "../../exchange/Reply.ts"
import { errorFamilies, familyNamedIn, familyOfPath } from "@tollgate/contract/errors/families"
import type { Family } from "@tollgate/contract/errors/Family"
import { isShared } from "@tollgate/contract/operations/modelGet"
import type { Accepted } from "../../exchange/Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"

const anyOrigin = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" }

/** Any origin may call: browsers do not attach the credential by themselves. */
const corsHeaders = ({ request }: Accepted): Readonly<Record<string, string>> | undefined =>
  request.headers.origin === undefined ? undefined : anyOrigin

export const preflight = ({ match, request, requestId }: Accepted): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...nosniff,
      ...anyOrigin,
      "access-control-allow-methods": match === undefined ? "GET, POST" : [...match.operations.keys()].join(", "),
      "access-control-allow-headers":
        request.headers["access-control-request-headers"] ?? "authorization, content-type",
      "access-control-max-age": "7200",
      [Headers.requestId]: requestId
    }
  })

/** A browser takes the body for what its type says, and nothing else. On every answer. */
export const nosniff = { "x-content-type-options": "nosniff" } as const

/** Asks proxies not to buffer events. */
export const unbuffered = { "cache-control": "no-cache", "x-accel-buffering": "no" } as const

/** What an upstream answers cannot run scripts, or reach anything, as this gateway's origin. */
const sandboxed = "sandbox; default-src 'none'"

// Compared as a whole: browsers read "application/json, text/html" as HTML.
const inert = new Set([
  "application/json",
  "application/json; charset=utf-8",
  "text/event-stream",
  "text/event-stream; charset=utf-8"
])

/** Whether a browser that opens the body only shows its text. */
const isInert = (contentType: string | undefined): boolean => contentType !== undefined && inert.has(contentType)

const requestIdNameOf = ({ request }: Accepted, family: Family): string | undefined =>
  errorFamilies[familyNamedIn(request.headers) ?? family].requestIdHeader

/** The error family of the operation at this path, or of the path's prefix. Quote mode has one shape for credential errors. */
const familyOf = (exchange: Accepted, { refusal: { code } }: Refused, names: Names): Family => {
  const { match, path, request } = exchange
  const quoting = request.headers[Headers.costMode.key(names)] !== undefined
  if (quoting && (code === "missing_credential" || code === "invalid_credential")) return "data"
  const operation = match?.operations.get(request.method) ?? match?.operations.values().next().value
  const named = familyNamedIn(request.headers)
  if (named !== undefined && (operation === undefined || isShared(operation.id))) return named
  return operation?.family ?? familyOfPath(path)
}

type Response = HttpServerResponse.HttpServerResponse
type Head = Omit<Answer, "bytes">

const requestIdHeader = Headers.requestId.toLowerCase()
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
  const requestIdName = requestIdNameOf(exchange, family)
  if (requestIdName !== undefined) headers[requestIdName.toLowerCase()] = exchange.requestId
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
  const requestIdName = requestIdNameOf(exchange, family)
  const { body, headers, status } = encode(family, { ...refused.refusal, requestId })
  return HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: {
      ...nosniff,
      ...corsHeaders(exchange),
      ...headers,
      ...RateLimits.encode(limits),
      ...(costsNothing(refused.refusal.code) ? { [Headers.costState(names)]: "none" } : {}),
      ...refused.headers,
      [Headers.requestId]: requestId,
      ...(requestIdName === undefined ? {} : { [requestIdName]: requestId })
    }
  })
}

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
