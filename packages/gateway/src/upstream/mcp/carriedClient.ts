import { type Carrier, type Head, type Incoming, type Outgoing, NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import { set } from "../../internal/jsonEdit.ts"
import { isLarge, turns } from "../../internal/Turns.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { hasType } from "../protocols/message.ts"
import { carryWith, originAndPath } from "../outgoing.ts"
import type { Provider } from "../Provider.ts"
import { type CarriedCall, CurrentCall, eventOf, messageReader, readMessage, readSmall } from "./messages.ts"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

type Body = Stream.Stream<Uint8Array, NotCarried>

/** How long the end of an answer is waited for after its result. A connection whose answer is cut off is closed. */
const endMillis = 1_000

/** The server has received the call once its answer has begun. */
const brokenBy = ({ why }: NotCarried): NotCarried["why"] => (why === "not sent" ? "broken" : why)

const observed = (body: Body, call: CarriedCall, maxBytes: number): Body => {
  const large: Array<Uint8Array> = []
  const reader = messageReader(call, maxBytes, (message) => large.push(message))
  return Stream.tapError(
    Stream.mapEffect(body, (chunk) => {
      const others = reader.push(chunk)
      if (reader.isTooLarge()) return Effect.fail(new NotCarried({ why: "too large" }))
      if (large.length === 0) return Effect.succeed(others)
      return Effect.map(
        Effect.forEach(large.splice(0), (message) => turns.inSlices(readMessage(call, message))),
        (messages) => Bytes.concat([others, ...messages.map(eventOf)])
      )
    }),
    (error) => Effect.sync(() => (call.notCarried = new NotCarried({ why: brokenBy(error) })))
  )
}

/**
 * The events of an answer, read on their way to Effect's client. That one stops reading at the result, so a fiber of its own reads
 * the answer to its end, and the connection can be used again.
 */
const readBody = (body: Body, call: CarriedCall, maxBytes: number): Body =>
  Stream.unwrap(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const pull = yield* Scope.provide(Stream.toPull(observed(body, call, maxBytes)), scope)
      const rest = Effect.timeoutOption(Effect.ignore(Effect.forever(pull)), endMillis)
      const end = Effect.suspend(() =>
        Effect.andThen(call.result === undefined ? Effect.void : rest, Scope.close(scope, Exit.void))
      )
      return Stream.ensuring(Stream.fromPull(Effect.succeed(pull)), Effect.forkDetach(Effect.interruptible(end)))
    })
  )

export type Carry = Carrier["Service"]["carry"]

const isStreamed = (head: Head): boolean => head.status === 200 && hasType(head, "text/event-stream")

const bodyOf = ({ body }: HttpClientRequest): Uint8Array | undefined =>
  body._tag === "Uint8Array" ? body.body : undefined

const withArguments = (body: Uint8Array | undefined, call: CarriedCall | undefined) =>
  body === undefined || call?.arguments === undefined ? body : set(body, ["params", "arguments"], call.arguments)

const moreMillis = 5_000

/** The most bytes of an answer that is not a call's, such as a page of tools. Effect's client parses it at once. */
const longestOther = 2 * 1024 * 1024

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
  maxBytes: call === undefined ? Math.min(answerBytes, longestOther) : answerBytes,
  private: isPrivate,
  isStreamed
})

/** What Effect's client gets instead of such an answer that is longer, so that the server does not count as unreachable. */
const contentTooLarge: Incoming = { status: 413, headers: {}, body: emptyBytes }

const tooLarge = () => Stream.fail(new NotCarried({ why: "too large" }))

const responseOf = (
  request: HttpClientRequest,
  { body, headers, status }: Incoming,
  call: CarriedCall | undefined,
  maxBytes: number
): HttpClientResponse => {
  const response =
    body instanceof Uint8Array
      ? HttpServerResponse.uint8Array(body, { status, headers })
      : HttpServerResponse.stream(
          call === undefined ? Stream.limitBytes(body, longestOther, tooLarge) : readBody(body, call, maxBytes),
          { status, headers }
        )
  return HttpServerResponse.toClientResponse(response, { request })
}

/** The whole answer to the call itself is read before Effect's client gets it. */
const readWhole = (incoming: Incoming, call: CarriedCall): Effect.Effect<Incoming> => {
  const { body, headers } = incoming
  if (!(body instanceof Uint8Array)) return Effect.succeed(incoming)
  if (!isLarge(body)) {
    readSmall(call, body)
    return Effect.succeed(incoming)
  }
  return Effect.map(turns.inSlices(readMessage(call, body)), (body) => ({
    ...incoming,
    headers: withoutLength(headers),
    body
  }))
}

/** Sends what Effect's client sends by the gateway's own carrier, with the provider's credential and limits. */
export const carriedClient = (provider: Provider, carry: () => Carry): HttpClient.HttpClient =>
  HttpClient.make((request, _url, _signal, fiber) => {
    const current = fiber.getRef(CurrentCall)
    const call = current === undefined || current.isSent ? undefined : current
    if (call !== undefined) call.isSent = true
    return Effect.matchEffect(
      carryWith(carry(), provider, () => outgoing(request, call, provider)),
      {
        onFailure: (error) => {
          if (call !== undefined) call.notCarried = error
          else if (error.why === "too large") return Effect.succeed(responseOf(request, contentTooLarge, call, 0))
          return Effect.fail(new HttpClientError({ reason: new TransportError({ request, description: error.why }) }))
        },
        onSuccess: (incoming) => {
          if (call === undefined) return Effect.succeed(responseOf(request, incoming, call, provider.answerBytes))
          call.status = incoming.status
          return Effect.map(readWhole(incoming, call), (read) => responseOf(request, read, call, provider.answerBytes))
        }
      }
    )
  })
