import type { Carrier, Head, Incoming, NotCarried, Outgoing } from "@tollgate/contract/carrier/Carrier"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { FieldPath } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Sent } from "../exchange/Exchange.ts"
import { set } from "../internal/jsonEdit.ts"
import * as TraceContext from "../observe/trace/TraceContext.ts"
import type { Message, Protocol } from "./Protocol.ts"
import type { Provider } from "./Provider.ts"
import type { Target } from "./Route.ts"
import type { Translated } from "./translate/translate.ts"

/** `https://host/base` and `/v1/x` are at `https://host`, under `/base/v1/x`. */
export const originAndPath = (baseUrl: string, path: string): Pick<Outgoing, "origin" | "path"> => {
  const at = baseUrl.indexOf("/", baseUrl.indexOf("://") + 3)
  return at === -1 ? { origin: baseUrl, path } : { origin: baseUrl.slice(0, at), path: baseUrl.slice(at) + path }
}

const withNumber = (body: Uint8Array, [name, ...inner]: FieldPath, value: number): Uint8Array =>
  name === undefined ? body : set(body, [name, ...inner], String(value))

/** The body with the output bound that the caller's cap pays for, or the count that the price assumes. */
const boundBody = (body: Uint8Array, { input, outputBound, price }: Sent, { outputLimit }: Provider): Uint8Array => {
  if (price === undefined) return body
  // So that the upstream does not assume another.
  if (price.contract === "per_task" && price.assumed !== undefined) {
    return withNumber(body, price.assumed.field, price.assumed.count)
  }
  if (outputBound === undefined) return body
  return withNumber(body, contractOf(price).boundField?.(price, input.body, outputLimit) ?? [], outputBound)
}

/** Where an upstream that takes part in traces goes on: after our own span, or after the caller's if there is none. */
const addTrace = (
  headers: Record<string, string>,
  { request }: Sent,
  attempt: TraceContext.TraceContext | undefined
) => {
  const context = attempt ?? TraceContext.parse(request.headers["traceparent"], request.headers["tracestate"])
  if (context !== undefined) TraceContext.encodeInto(headers, context)
}

/** The head of an answer. Without a type of its own it has the one that was asked for. */
export const typed = (head: Head, { headers: { accept = "" } }: Message): Head =>
  head.headers["content-type"] === undefined
    ? { status: head.status, headers: { ...head.headers, "content-type": accept } }
    : head

/** What is sent: the protocol's message, with what the provider wants of every call. */
export const outgoing = (
  { exchange, headers: own, path }: Translated,
  { model, provider }: Target,
  protocol: Protocol,
  attempt?: TraceContext.TraceContext
): Outgoing => {
  const message = protocol.request(exchange, { model, path, lacks: provider.lacks })
  const at = originAndPath(provider.baseUrl, message.path)
  const headers: Record<string, string> = { ...message.headers, ...own, ...provider.headers }
  const { credential } = provider
  if (credential !== undefined) headers[credential.header.toLowerCase()] = Redacted.value(credential.value)
  if (exchange.linkedUserHeaders !== undefined) Object.assign(headers, exchange.linkedUserHeaders)
  for (const name of provider.forwardedHeaders) {
    const value = exchange.request.headers[name]
    if (value !== undefined) headers[name] = value
  }
  if (provider.trace === true) addTrace(headers, exchange, attempt)
  return {
    method: exchange.operation.method,
    origin: at.origin,
    path: at.path,
    headers,
    body: message.body && boundBody(message.body, exchange, provider),
    deadlineMillis: provider.deadlineMillis,
    idleMillis: provider.idleMillis,
    maxBytes: provider.answerBytes,
    private: provider.private,
    isStreamed: (head) => head.status >= 200 && head.status < 300 && protocol.isStreamed(exchange, typed(head, message))
  }
}

/** Headers of the transport, which a caller's must not replace. */
const isTransport = (name: string): boolean => /^(?:accept|content-|mcp-|host$|last-event-id$)/.test(name)

/** What is sent with one call of a tool: the caller's headers that are sent on, those of its linked user, and the trace. */
export const callHeaders = (
  { exchange, headers: own = {} }: Translated,
  { credential, forwardedHeaders, headers: fixed, trace }: Provider,
  attempt: TraceContext.TraceContext | undefined
): Readonly<Record<string, string>> => {
  const { linkedUserHeaders, request, requestId } = exchange
  const headers: Record<string, string> = { "x-request-id": requestId }
  for (const name of forwardedHeaders) {
    const value = request.headers[name]
    if (value !== undefined && !isTransport(name)) headers[name] = value
  }
  const isProviders = (name: string): boolean =>
    credential?.header.toLowerCase() === name || Object.keys(fixed).some((other) => other.toLowerCase() === name)
  for (const [name, value] of Object.entries(own)) {
    if (!isTransport(name) && !isProviders(name)) headers[name] = value
  }
  if (trace === true) addTrace(headers, exchange, attempt)
  return linkedUserHeaders === undefined ? headers : { ...headers, ...linkedUserHeaders }
}

/** Sends a request, and once more with the other credential if the first is refused: a 401 means that nothing ran. */
export const carryWith = (
  carry: Carrier["Service"]["carry"],
  { credential, name }: Provider,
  make: () => Outgoing
): Effect.Effect<Incoming, NotCarried> => {
  const rotation = credential?.rotation
  if (rotation === undefined) return carry(make())
  const used = rotation.current
  return Effect.flatMap(carry(make()), (incoming) => {
    if (incoming.status !== 401) return Effect.succeed(incoming)
    const again = Effect.suspend(() => carry(make()))
    return rotation.refused(used)
      ? Effect.andThen(
          Effect.logWarning("the upstream refused a credential; its other one is used", { upstream: name }),
          again
        )
      : again
  })
}
