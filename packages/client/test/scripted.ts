import { Client, type Options, Policy } from "@tollgate/client"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import { isNotSent } from "@tollgate/contract/carrier/HttpCarrier"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"

/** In the format of a real key. */
export const credential = "tg_c4n4rysecretsecretsecretsecretsecretsecr"

type Handler = (
  request: HttpClientRequest,
  url: URL,
  signal: AbortSignal
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError>

/** A client whose transport is `handler`. `sent` has its requests. */
export const scripted = (handler: Handler, options: Partial<Options> = {}) => {
  const sent: Array<{ readonly request: HttpClientRequest; readonly url: URL }> = []
  const http = HttpClient.make((request, url, signal) => {
    sent.push({ request, url })
    return handler(request, url, signal)
  })
  const layer = Client.layer({ credential, baseUrl: "http://gateway.invalid", retry: Policy.none, ...options }).pipe(
    Layer.provide(HttpCarrier.layer),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, http)),
    Layer.provide(Layer.succeed(isNotSent, ({ reason }) => reason.cause instanceof Unsent))
  )
  return { layer, sent }
}

export const respond =
  (status: number, body: BodyInit | null, headers: Record<string, string> = {}): Handler =>
  (request) =>
    Effect.sync(() =>
      HttpClientResponse.fromWeb(request, new Response(status === 204 ? null : body, { status, headers }))
    )

/** The cause that proves that nothing was sent. */
export class Unsent extends Error {}

export const fail =
  (cause: Error): Handler =>
  (request) =>
    Effect.fail(new HttpClientError({ reason: new TransportError({ request, cause, description: cause.message }) }))

export const question = { query: "which river is longest?", documents: ["The Nile.", "Mount Everest."] } as const

export const ranking = {
  model: "rerank",
  results: [{ index: 0, relevance_score: 0.9, document: { text: "The Nile." } }],
  usage: { total_tokens: 12 }
}

export const json = { "content-type": "application/json" }
