import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { EncodeError, HttpClientError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import { Readable } from "node:stream"
import type { ReadableStream } from "node:stream/web"
import { NotSent } from "./notSent.ts"

export interface Outgoing {
  readonly body: string | Uint8Array | Readable | null
  readonly contentType?: string
}

/** The body in a form that undici writes without copying, and holds back while the socket is full. */
export const outgoing = (request: HttpClientRequest): Effect.Effect<Outgoing, HttpClientError> => {
  const body = request.body
  switch (body._tag) {
    case "Empty":
      return Effect.succeed({ body: null })
    case "Uint8Array":
      return Effect.succeed({ body: body.body })
    case "Stream":
      return Effect.map(Stream.toAsyncIterableEffect(body.stream), (chunks) => ({
        body: Readable.from(chunks, { objectMode: false })
      }))
    case "FormData":
      return Effect.promise(async () => {
        const encoded = new Response(body.formData)
        const contentType = encoded.headers.get("content-type")
        return { body: new Uint8Array(await encoded.arrayBuffer()), ...(contentType === null ? {} : { contentType }) }
      })
    case "Raw":
      return raw(request, body.body)
  }
}

const raw = (request: HttpClientRequest, body: unknown): Effect.Effect<Outgoing, HttpClientError> => {
  if (body === null || body === undefined) return Effect.succeed({ body: null })
  if (typeof body === "string" || body instanceof Uint8Array || body instanceof Readable)
    return Effect.succeed({ body })
  if (isReadableStream(body)) return Effect.sync(() => ({ body: Readable.fromWeb(body) }))
  const cause = new NotSent({ cause: new TypeError("a raw body is a string, bytes, a Readable or a ReadableStream") })
  return Effect.fail(new HttpClientError({ reason: new EncodeError({ request, cause, description: cause.message }) }))
}

const isReadableStream = (u: unknown): u is ReadableStream => u instanceof globalThis.ReadableStream
