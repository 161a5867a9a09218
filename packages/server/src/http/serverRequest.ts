import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { FileSystem } from "effect/FileSystem"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import type { Path } from "effect/Path"
import type { ReadonlyRecord } from "effect/Record"
import type * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import { HttpServerError, RequestParseError } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Multipart from "effect/http/Multipart"
import * as UrlParams from "effect/http/UrlParams"
import type { Socket } from "effect/socket/Socket"
import { type IncomingMessage, ServerResponse } from "node:http"
import { toArrayBuffer } from "@tollgate/node/adapter"
import type { Incoming, Outgoing } from "./exchange.ts"
import { FastExchange } from "./fast/FastExchange.ts"
import type { Body, Reading } from "./requestBody.ts"

type Outcome = "not executed" | "unknown"

/** The application's answer to a request that the server has to end, given whether it may have been executed. */
type AnswerCut = (
  request: HttpServerRequest.HttpServerRequest,
  requestId: string,
  outcome: Outcome
) => HttpServerResponse

type Overrides = Parameters<HttpServerRequest.HttpServerRequest["modify"]>[0]

const decoder = new TextDecoder()
/** In a form, a leading U+FEFF is data. */
const formDecoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Node's own object: names are in lower case already. Only `set-cookie`, a list, needs a copy. */
const headersOf = ({ headers }: Incoming): Headers.Headers =>
  headers["set-cookie"] === undefined
    ? Headers.fromRecordUnsafe(headers as Record<string, string>)
    : Headers.fromInput(headers)

export class ServerRequest extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId] = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId] = HttpIncomingMessage.TypeId
  readonly source: Incoming
  readonly response: Outgoing
  readonly body: Body
  readonly #overrides: Overrides | undefined
  readonly #arrived: ServerRequest | undefined
  #answerCut: AnswerCut | undefined
  #requestId = ""
  #headers: Headers.Headers | undefined
  #cookies: ReadonlyRecord<string, string> | undefined

  constructor(source: Incoming, response: Outgoing, body: Body, overrides?: Overrides, arrived?: ServerRequest) {
    super()
    this.source = source
    this.response = response
    this.body = body
    this.#overrides = overrides
    this.#arrived = arrived
  }

  /** One function for all requests: a closure for each would keep its request in memory until a full garbage collection. */
  ifCut(answer: AnswerCut, requestId: string): void {
    const arrived = this.#arrived ?? this
    arrived.#answerCut = answer
    arrived.#requestId = requestId
  }

  answerIfCut(outcome: Outcome): HttpServerResponse | undefined {
    const arrived = this.#arrived ?? this
    return arrived.#answerCut?.(arrived, arrived.#requestId, outcome)
  }

  /** For an answer that goes on for long: the body is not read again. */
  forgetBody(): void {
    this.body.forget()
  }

  /** A response of `node:http` for code that needs one. The server then sends no other. */
  nodeResponse(req: IncomingMessage): ServerResponse {
    const { response } = this
    if (response instanceof ServerResponse) return response
    if (response instanceof FastExchange) return response.nodeResponse(req)
    throw new Error("the request did not come from this server")
  }

  modify(overrides: Overrides): ServerRequest {
    const all = { ...this.#overrides, ...overrides }
    return new ServerRequest(this.source, this.response, this.body, all, this.#arrived ?? this)
  }

  /** How many milliseconds ago its first bytes arrived. */
  get waited(): number {
    const { since } = this.body
    return since === undefined ? 0 : Math.floor(performance.now() - since)
  }

  get method(): string {
    return this.source.method ?? "GET"
  }

  get originalUrl(): string {
    return this.source.url ?? "/"
  }

  get url(): string {
    return this.#overrides?.url ?? this.originalUrl
  }

  get headers(): Headers.Headers {
    return (this.#headers ??= this.#overrides?.headers ?? headersOf(this.source))
  }

  get cookies(): ReadonlyRecord<string, string> {
    return (this.#cookies ??= Cookies.parseHeader(this.headers["cookie"] ?? ""))
  }

  get remoteAddress(): Option.Option<string> {
    return this.#overrides?.remoteAddress ?? Option.fromUndefinedOr(this.source.socket.remoteAddress)
  }

  get peerAddress(): Option.Option<string> {
    return this.#overrides?.peerAddress ?? this.remoteAddress
  }

  get protocol(): "http" | "https" | undefined {
    return this.#overrides?.protocol
  }

  get stream(): Stream.Stream<Uint8Array, HttpServerError> {
    return Stream.unwrap(this.#read((body) => Effect.succeed(body.stream)))
  }

  /** Not copied. Available at once, inside a fiber, when the body has arrived in full. */
  get bytes(): Effect.Effect<Uint8Array, HttpServerError> {
    const fiber = Fiber.getCurrent()
    return fiber === undefined ? this.#read((body) => body.bytes) : this.#buffer(fiber).bytes
  }

  /** Like `bytes`, up to `maxBytes` and as long as `accepts` returns true. It sees each chunk of a large body. */
  bytesWithin(maxBytes: number, accepts: (chunk: Uint8Array) => boolean): Effect.Effect<Uint8Array, HttpServerError> {
    const fiber = Fiber.getCurrent()
    const set = Number(fiber?.getRef(HttpIncomingMessage.MaxBodySize) ?? Infinity)
    return this.body.read(this, Math.min(set, maxBytes), accepts).bytes
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpServerError> {
    return Effect.map(this.bytes, toArrayBuffer)
  }

  get text(): Effect.Effect<string, HttpServerError> {
    return Effect.map(this.bytes, (bytes) => decoder.decode(bytes))
  }

  get json(): Effect.Effect<Schema.Json, HttpServerError> {
    return this.#parse(this.text, (text): Schema.Json => (text === "" ? null : JSON.parse(text)))
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpServerError> {
    return this.#parse(this.bytes, (bytes) =>
      // A leading "?" is form data; URLSearchParams would drop it.
      UrlParams.fromInput(new URLSearchParams(formDecoder.decode(bytes).replace(/^\?/, "%3F")))
    )
  }

  get multipart(): Effect.Effect<Multipart.Persisted, Multipart.MultipartError, Scope | FileSystem | Path> {
    return Multipart.toPersisted(this.multipartStream)
  }

  get multipartStream(): Stream.Stream<Multipart.Part, Multipart.MultipartError> {
    return Stream.pipeThroughChannel(
      Stream.mapError(this.stream, (cause) => Multipart.MultipartError.fromReason("InternalError", cause)),
      Multipart.makeChannel(this.headers)
    )
  }

  get upgrade(): Effect.Effect<Socket, HttpServerError> {
    return this.upgradeWith()
  }

  upgradeWith(): Effect.Effect<Socket, HttpServerError> {
    return Effect.fail(this.#failure(undefined, "this server does not upgrade connections"))
  }

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, {
      _id: "HttpServerRequest",
      method: this.method,
      url: UrlParams.redactUrl(this.originalUrl)
    })
  }

  #read<A>(use: (body: Reading) => Effect.Effect<A, HttpServerError>): Effect.Effect<A, HttpServerError> {
    return Effect.withFiber((fiber) => use(this.#buffer(fiber)))
  }

  #buffer(fiber: Fiber.Fiber<unknown, unknown>): Reading {
    return this.body.read(this, Number(fiber.getRef(HttpIncomingMessage.MaxBodySize) ?? Infinity))
  }

  #parse<A, B>(effect: Effect.Effect<A, HttpServerError>, parse: (a: A) => B): Effect.Effect<B, HttpServerError> {
    return Effect.flatMap(effect, (a) => Effect.try({ try: () => parse(a), catch: (cause) => this.#failure(cause) }))
  }

  #failure(cause: unknown, description?: string): HttpServerError {
    return new HttpServerError({
      reason: new RequestParseError({ request: this, cause, ...(description === undefined ? {} : { description }) })
    })
  }
}
