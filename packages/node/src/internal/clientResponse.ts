import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import { type Pipeable, pipeArguments } from "effect/Pipeable"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import { DecodeError, HttpClientError, StatusCodeError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as UrlParams from "effect/http/UrlParams"
import type { Socket } from "effect/socket/Socket"
import { type Intake, toArrayBuffer } from "./intake.ts"

type RawHeaders = Record<string, string | Array<string> | undefined>

const decoder = new TextDecoder()
/** A form keeps a leading U+FEFF. */
const formDecoder = new TextDecoder("utf-8", { ignoreBOM: true })

export class ClientResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse, Pipeable {
  readonly [HttpClientResponse.TypeId] = HttpClientResponse.TypeId
  readonly [HttpIncomingMessage.TypeId] = HttpIncomingMessage.TypeId
  readonly request: HttpClientRequest
  readonly status: number
  readonly #url: URL
  readonly #raw: RawHeaders
  readonly #intake: Intake<HttpClientError>
  #headers: Headers.Headers | undefined
  #cookies: Cookies.Cookies | undefined

  constructor(
    request: HttpClientRequest,
    url: URL,
    status: number,
    headers: RawHeaders,
    intake: Intake<HttpClientError>
  ) {
    super()
    this.request = request
    this.status = status
    this.#url = url
    this.#raw = headers
    this.#intake = intake
  }

  get url(): string {
    return this.#url.href.split("#", 1)[0] ?? ""
  }

  get headers(): Headers.Headers {
    return (this.#headers ??= Headers.fromInput(this.#raw))
  }

  get cookies(): Cookies.Cookies {
    return (this.#cookies ??= Cookies.fromSetCookie(this.#raw["set-cookie"] ?? []))
  }

  get remoteAddress(): Option.Option<string> {
    return Option.none()
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError> {
    return this.#intake.stream
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpClientError> {
    return Effect.map(this.#intake.bytes, toArrayBuffer)
  }

  get text(): Effect.Effect<string, HttpClientError> {
    return Effect.map(this.#intake.bytes, (bytes) => decoder.decode(bytes))
  }

  get json(): Effect.Effect<Schema.Json, HttpClientError> {
    return this.#parse(this.text, (text): Schema.Json => (text === "" ? null : JSON.parse(text)))
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpClientError> {
    return this.#parse(this.#intake.bytes, (bytes) =>
      // A leading "?" is form data; URLSearchParams would drop it.
      UrlParams.fromInput(new URLSearchParams(formDecoder.decode(bytes).replace(/^\?/, "%3F")))
    )
  }

  get formData(): Effect.Effect<FormData, HttpClientError> {
    const headers = { "content-type": this.headers["content-type"] ?? "" }
    return Effect.flatMap(this.#intake.bytes, (bytes) =>
      Effect.tryPromise({
        try: () => new Response(toArrayBuffer(bytes), { headers }).formData(),
        catch: (cause) => this.#failure(cause)
      })
    )
  }

  get upgrade(): Effect.Effect<Socket, HttpClientError> {
    return Effect.fail(
      new HttpClientError({
        reason: new StatusCodeError({
          request: this.request,
          response: this,
          description: "this client does not upgrade connections"
        })
      })
    )
  }

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, {
      _id: "HttpClientResponse",
      request: this.request.toJSON(),
      status: this.status
    })
  }

  pipe() {
    return pipeArguments(this, arguments)
  }

  #parse<A, B>(effect: Effect.Effect<A, HttpClientError>, parse: (a: A) => B): Effect.Effect<B, HttpClientError> {
    return Effect.flatMap(effect, (a) => Effect.try({ try: () => parse(a), catch: (cause) => this.#failure(cause) }))
  }

  #failure(cause: unknown): HttpClientError {
    return new HttpClientError({ reason: new DecodeError({ request: this.request, response: this, cause }) })
  }
}
