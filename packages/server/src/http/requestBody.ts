import { BodyBuffer } from "@tollgate/node/adapter"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { HttpServerError, RequestParseError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Stream from "effect/Stream"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { discardBody } from "./refusal.ts"

/** The bytes of all large bodies that are held in memory, and how many there may be. */
export class BodyMemory {
  readonly limit: number
  #held = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** Returns false, and holds nothing more, if that would exceed the limit. */
  hold(bytes: number): boolean {
    if (this.#held + bytes > this.limit) return false
    this.#held += bytes
    return true
  }

  release(bytes: number): void {
    this.#held -= bytes
  }
}

/** The cause of the `RequestParseError` when a body is too large. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly limit: number }> {
  override get message(): string {
    return `the request body is larger than ${this.limit} bytes`
  }
}

/** The cause when the application does not accept what has arrived. */
class BodyStopped extends Data.TaggedError("BodyStopped") {}

/** The cause when all bodies together are too large. */
class BodiesTooLarge extends Data.TaggedError("BodiesTooLarge") {}

/** A body up to this size is read in advance, and Node drains it if nobody reads it. */
const smallBytes = 64 * 1024

export interface Reading {
  /** Available at once when the body has arrived in full. */
  readonly bytes: Effect.Effect<Uint8Array, HttpServerError>
  readonly stream: Stream.Stream<Uint8Array, HttpServerError>
}

/** When the first bytes of a request came, by `performance.now()`, on a connection that `node:http` reads from then on. */
export const arrivals = new WeakMap<Socket, number>()

export interface Body {
  /** When the first bytes of its request came, by `performance.now()`. `undefined`: with the last ones. */
  readonly since: number | undefined
  /** Whether too much of the body is still unread to use the connection again. */
  readonly abandoned: boolean
  /** Reads a small body as it arrives, which is cheaper than later, from Node's buffer. */
  prefetch(request: HttpServerRequest): void
  /** Calls `then` when a prefetched body has arrived; never if nothing is prefetched. */
  whenPrefetched(then: () => void): void
  /** `accepts` sees each chunk of a body that is not prefetched; if it returns false, nothing more is read. */
  read(request: HttpServerRequest, maxBytes: number, accepts?: (chunk: Uint8Array) => boolean): Reading
  discard(done: () => void): void
  /** Drops what was read. */
  forget(): void
}

/** A body that `node:http` reads. A large body is read, and `100 Continue` sent, only when the application asks for it. */
export class RequestBody implements Body {
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #maxBytes: number
  readonly #memory: BodyMemory
  readonly #length: number
  readonly since: number
  #awaitsContinue: boolean
  #buffer: BodyBuffer<HttpServerError> | undefined
  /** Bytes read before the application asked for them. */
  #prefetched = 0

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    maxBytes: number,
    memory: BodyMemory,
    awaitsContinue: boolean
  ) {
    this.#req = req
    this.#res = res
    this.#maxBytes = maxBytes
    this.#memory = memory
    this.#length = declaredLength(req)
    this.#awaitsContinue = awaitsContinue
    this.since = arrivals.get(req.socket) ?? performance.now()
    arrivals.delete(req.socket)
  }

  get abandoned(): boolean {
    return this.#length > smallBytes && !this.#req.complete
  }

  prefetch(request: HttpServerRequest): void {
    if (this.#length > 0 && this.#length <= smallBytes && !this.#awaitsContinue) {
      this.read(request, Infinity)
      this.#prefetched = this.#length
    }
  }

  whenPrefetched(then: () => void): void {
    if (this.#prefetched > 0) this.#buffer?.whenClosed(then)
  }

  read(
    request: HttpServerRequest,
    maxBytes: number,
    accepts: (chunk: Uint8Array) => boolean = acceptsAll
  ): BodyBuffer<HttpServerError> {
    const req = this.#req
    const limit = Math.min(maxBytes, this.#maxBytes)
    if (this.#buffer !== undefined && this.#prefetched <= limit) return this.#buffer
    const buffer = (this.#buffer = new BodyBuffer<HttpServerError>({
      pause: () => req.pause(),
      resume: () => req.resume()
    }))
    const fail = (cause: Error) => buffer.close(Exit.fail(failure(request, cause)))
    const failTooLarge = () => buffer.close(Exit.fail(tooLarge(request, limit)))
    if (Number.isFinite(this.#length) && this.#length > limit) {
      failTooLarge()
      return buffer
    }
    let received = 0
    let held = 0
    let isStopped = false
    const stop = () => {
      isStopped = true
      req.pause()
    }
    const isLarge = this.#length > smallBytes
    if (isLarge) this.#res.once("close", () => this.#memory.release(held))
    req.on("data", (chunk: Buffer) => {
      const bytes = chunk.byteLength
      received += bytes
      // A chunk may still be on its way when the request is paused.
      if (isStopped) return
      if (received > limit) {
        stop()
        failTooLarge()
      } else if (isLarge && !this.#memory.hold(bytes)) {
        stop()
        fail(new BodiesTooLarge())
      } else {
        if (isLarge) held += bytes
        if (!isLarge || accepts(chunk)) return buffer.push(chunk)
        stop()
        fail(new BodyStopped())
      }
    })
    req.once("end", () => buffer.close(Exit.void))
    req.once("error", (cause) => fail(cause))
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false
      this.#res.writeContinue()
    }
    return buffer
  }

  discard(done: () => void): void {
    if (this.#awaitsContinue) done()
    else discardBody(this.#req, done)
  }

  forget(): void {
    this.#buffer?.forget()
  }
}

const acceptsAll = () => true

const declaredLength = (req: IncomingMessage): number => {
  const length = req.headers["content-length"]
  if (length !== undefined) return Number(length)
  return req.headers["transfer-encoding"] === undefined ? 0 : Infinity
}

const failure = (request: HttpServerRequest, cause: Error, reason: "Parse" | "BodyTooLarge" = "Parse") =>
  new HttpServerError({ reason: new RequestParseError({ request, reason, cause, description: cause.message }) })

const tooLarge = (request: HttpServerRequest, limit: number) =>
  failure(request, new BodyTooLarge({ limit }), "BodyTooLarge")

const nothing = new Uint8Array(0)

/** A small body that arrived with its request. */
export class WholeBody implements Body {
  #bytes: Uint8Array
  readonly #maxBytes: number

  readonly since: number | undefined

  constructor(bytes: Uint8Array, maxBytes: number, since: number | undefined) {
    this.#bytes = bytes
    this.#maxBytes = maxBytes
    this.since = since
  }

  get abandoned(): boolean {
    return false
  }

  prefetch(): void {}

  whenPrefetched(then: () => void): void {
    then()
  }

  read(request: HttpServerRequest, maxBytes: number) {
    const limit = Math.min(maxBytes, this.#maxBytes)
    const isTooLarge = this.#bytes.length > limit
    const bytes: Exit.Exit<Uint8Array, HttpServerError> = isTooLarge
      ? Exit.fail(tooLarge(request, limit))
      : Exit.succeed(this.#bytes)
    return {
      bytes,
      get stream() {
        return Stream.fromEffect(bytes)
      }
    }
  }

  discard(done: () => void): void {
    done()
  }

  forget(): void {
    this.#bytes = nothing
  }
}
