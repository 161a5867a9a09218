import { type Carrier, type Head, type Incoming, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import { set } from "../../internal/jsonEdit.ts"
import { hasType } from "../protocols/contentType.ts"
import { originAndPath } from "../outgoing.ts"
import type { Provider } from "../Provider.ts"
import { type CarriedCall, CurrentCall } from "./CarriedCall.ts"
import { readMessage } from "./messages.ts"
import { readBody } from "./readBody.ts"

export type Carry = Carrier["Service"]["carry"]

const isStreamed = (head: Head): boolean => head.status === 200 && hasType(head, "text/event-stream")

const bodyOf = ({ body }: HttpClientRequest): Uint8Array | undefined =>
  body._tag === "Uint8Array" ? body.body : undefined

const withArguments = (body: Uint8Array | undefined, call: CarriedCall | undefined) =>
  body === undefined || call?.arguments === undefined ? body : set(body, ["params", "arguments"], call.arguments)

const moreMillis = 5_000

const addressOf = (baseUrl: string) => {
  const { origin, path } = originAndPath(baseUrl, "")
  return { origin, path: path === "" ? "/" : path }
}

/** Replacing the arguments changes the length, so the carrier writes it. */
const withoutLength = ({ "content-length": _, ...headers }: Readonly<Record<string, string>>) => headers

const outgoing = (
  request: HttpClientRequest,
  call: CarriedCall | undefined,
  { answerBytes, baseUrl, credential, deadlineMillis, headers, private: isPrivate }: Provider
): Outgoing => ({
  method: request.method,
  ...addressOf(baseUrl),
  headers: {
    ...withoutLength(request.headers),
    // Messages are read while they arrive, so they must not be compressed.
    "accept-encoding": "identity",
    ...(request.body._tag === "Uint8Array" ? { "content-type": request.body.contentType } : {}),
    ...headers,
    ...(credential === undefined ? {} : { [credential.header.toLowerCase()]: Redacted.value(credential.value) }),
    ...call?.headers
  },
  body: withArguments(bodyOf(request), call),
  // Calls and the beginning of a session have time limits of their own, which come first: they cancel.
  deadlineMillis: deadlineMillis + moreMillis,
  idleMillis: deadlineMillis + moreMillis,
  maxBytes: answerBytes,
  private: isPrivate,
  isStreamed
})

const responseOf = (
  request: HttpClientRequest,
  { body, headers, status }: Incoming,
  call: CarriedCall | undefined,
  maxBytes: number
): HttpClientResponse => {
  if (body instanceof Uint8Array && call !== undefined) readMessage(call, body)
  const response =
    body instanceof Uint8Array
      ? HttpServerResponse.uint8Array(body, { status, headers })
      : HttpServerResponse.stream(call === undefined ? body : readBody(body, call, maxBytes), { status, headers })
  return HttpServerResponse.toClientResponse(response, { request })
}

/** Sends what Effect's client sends by the gateway's own carrier, with the provider's credential and limits. */
export const carriedClient = (provider: Provider, carry: () => Carry): HttpClient.HttpClient =>
  HttpClient.make((request, _url, _signal, fiber) => {
    const current = fiber.getRef(CurrentCall)
    const call = current === undefined || current.isSent ? undefined : current
    if (call !== undefined) call.isSent = true
    return Effect.matchEffect(carry()(outgoing(request, call, provider)), {
      onFailure: (error) => {
        if (call !== undefined) call.notCarried = error
        return Effect.fail(new HttpClientError({ reason: new TransportError({ request, description: error.why }) }))
      },
      onSuccess: (incoming) => {
        if (call !== undefined) call.status = incoming.status
        return Effect.succeed(responseOf(request, incoming, call, provider.answerBytes))
      }
    })
  })
