import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Cookies from "effect/http/Cookies"
import { HttpServerError, ResponseError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { type HttpServerResponse, omitsBody } from "effect/http/HttpServerResponse"
import { type OutgoingHttpHeaders, STATUS_CODES } from "node:http"
import type { Outgoing } from "./exchange.ts"
import { refuse, willClose } from "./refusal.ts"
import type { Body } from "./requestBody.ts"
import { ServerRequest } from "./serverRequest.ts"
import { limitStall } from "./timeouts.ts"

/** Writes the response. A body that is not a stream is written at once, without waiting. */
export const send =
  (draining: () => boolean, readerMillis: number) =>
  (request: HttpServerRequest, response: HttpServerResponse): Effect.Effect<void, HttpServerError> => {
    if (!(request instanceof ServerRequest)) return Effect.die(new Error("the request did not come from this server"))
    const res = request.response
    if (res.headersSent || res.destroyed) return Effect.void
    const abandoned = request.body.abandoned
    let body: Content
    let framed: boolean
    try {
      body = omitsBody(response, request.method === "HEAD") ? undefined : content(response)
      const close = draining() || abandoned
      if (close) willClose(res)
      const statusText = response.statusText ?? STATUS_CODES[response.status] ?? "unknown"
      res.writeHead(response.status, statusText, head(response, body, close))
      framed = res.chunkedEncoding
      if (framed) res.chunkedEncoding = false
    } catch (cause) {
      refuse(res, 500)
      return Effect.fail(failure(request, response, cause))
    }
    if (Stream.isStream(body)) {
      return pipe(res, body, framed, request.body, abandoned, readerMillis, (cause) =>
        failure(request, response, cause)
      )
    }
    if (framed && body !== undefined) writeFramed(res, body)
    finish(res, framed ? lastFrame : body, request.body, abandoned)
    return Effect.void
  }

type Content = string | Uint8Array | Stream.Stream<string | Uint8Array, unknown> | undefined

const content = (response: HttpServerResponse): Content => {
  const body = response.body
  switch (body._tag) {
    case "Empty":
      return undefined
    case "Uint8Array":
      return body.text ?? body.body
    case "Stream":
      return body.stream
    case "Raw":
      return rawContent(body.body)
    case "FormData":
      return rawContent(new Response(body.formData).body)
  }
}

const rawContent = (body: unknown): Content => {
  if (body === null || body === undefined) return undefined
  if (typeof body === "string" || body instanceof Uint8Array) return body
  if (isBytesIterable(body)) return Stream.fromAsyncIterable(body, (cause) => cause)
  throw new TypeError("a raw body is a string, bytes, a Readable or a ReadableStream")
}

const isBytesIterable = (u: unknown): u is AsyncIterable<string | Uint8Array> =>
  typeof u === "object" && u !== null && Symbol.asyncIterator in u

const head = (response: HttpServerResponse, body: Content, close: boolean): OutgoingHttpHeaders => {
  const bodiless = response.status === 204 || response.status === 205
  if (!close && !bodiless && Cookies.isEmpty(response.cookies)) return response.headers
  const headers: OutgoingHttpHeaders = { ...response.headers }
  if (bodiless) delete headers["content-length"]
  if (!Cookies.isEmpty(response.cookies)) {
    const own = response.headers["set-cookie"]
    const cookies = Cookies.toSetCookieHeaders(response.cookies)
    headers["set-cookie"] = own === undefined ? cookies : [...cookies, own]
  }
  if (close) {
    headers["connection"] = "close"
    if (body === undefined && !bodiless) headers["content-length"] ??= "0"
  }
  return headers
}

/** A body up to this size is sent as one string with the head: saves about a twentieth of a call against two buffers. */
const joinedBytes = 16 * 1024

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

const finish = (res: Outgoing, last: string | Uint8Array | undefined, body: Body, abandoned: boolean) => {
  if (!abandoned) {
    if (last instanceof Uint8Array && last.length <= joinedBytes) res.end(latin1(last), "latin1")
    else if (last === undefined) res.end()
    else res.end(last)
    return
  }
  if (last === undefined || last.length === 0) res.flushHeaders()
  else res.write(last)
  body.discard(() => res.end())
}

const pipe = (
  res: Outgoing,
  stream: Stream.Stream<string | Uint8Array, unknown>,
  framed: boolean,
  body: Body,
  abandoned: boolean,
  readerMillis: number,
  failure: (cause: unknown) => HttpServerError
): Effect.Effect<void, HttpServerError> => {
  // A first chunk that is ready goes out in one packet with the head; otherwise the head goes first.
  const flush = setImmediate(() => res.flushHeaders())
  return Stream.runForEachArray(stream, (chunks) => {
    clearImmediate(flush)
    let writable = true
    if (chunks.length > 1) res.cork()
    for (const chunk of chunks) writable = framed ? writeFramed(res, chunk) : res.write(chunk)
    if (chunks.length > 1) res.uncork()
    return writable ? Effect.void : drained(res, readerMillis)
  }).pipe(
    Effect.interruptible,
    Effect.matchCauseEffect({
      onSuccess: () =>
        Effect.sync(() => {
          clearImmediate(flush)
          finish(res, framed ? lastFrame : undefined, body, abandoned)
        }),
      // The head is sent: only closing the connection tells the peer that the body is incomplete.
      onFailure: (cause) => {
        clearImmediate(flush)
        if (res.socket === null) res.destroy()
        else res.socket.destroySoon()
        return Effect.failCause(Cause.map(cause, failure))
      }
    })
  )
}

const lastFrame = "0\r\n\r\n"

/** Writes a chunk with its frame at once; Node would make four writes. */
const writeFramed = (res: Outgoing, chunk: string | Uint8Array): boolean => {
  if (chunk.length === 0) return true
  const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
  const size = `${bytes.length.toString(16)}\r\n`
  if (bytes.length <= joinedBytes) return res.write(`${size}${latin1(bytes)}\r\n`, "latin1")
  res.cork()
  res.write(size, "latin1")
  res.write(bytes)
  const writable = res.write("\r\n", "latin1")
  res.uncork()
  return writable
}

/** Waits for the peer to read. One that reads nothing is disconnected, which interrupts the stream. */
const drained = (res: Outgoing, readerMillis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (!res.writableNeedDrain || res.destroyed) return resume(Effect.void)
    const unlimit = res.socket === null ? undefined : limitStall(res.socket, readerMillis)
    const stop = () => {
      unlimit?.()
      res.off("drain", done).off("close", done)
    }
    const done = () => {
      stop()
      resume(Effect.void)
    }
    res.once("drain", done).once("close", done)
    return Effect.sync(stop)
  })

const failure = (request: HttpServerRequest, response: HttpServerResponse, cause: unknown): HttpServerError =>
  new HttpServerError({ reason: new ResponseError({ request, response, cause }) })
