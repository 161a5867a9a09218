import * as Data from "effect/Data"
import * as Exit from "effect/Exit"
import { HttpServerError, RequestParseError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { IncomingMessage, ServerResponse } from "node:http"
import { linger } from "./guard.ts"
import { Intake } from "@tollgate/node/adapter"

/** The cause inside the `RequestParseError` that reading an oversized body fails with. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly limit: number }> {
  override get message(): string {
    return `the request body is larger than ${this.limit} bytes`
  }
}

/** An answer given before this much of the body was read still keeps the connection: Node drains the rest. */
const drainable = 64 * 1024

/** The body of one request. It is not read, nor is `100 Continue` sent, before somebody asks for it. */
export class RequestBody {
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #maxBytes: number
  readonly #length: number
  #awaitsContinue: boolean
  #intake: Intake<HttpServerError> | undefined
  /** As many bytes as were not asked for yet. */
  #prefetched = 0

  constructor(req: IncomingMessage, res: ServerResponse, maxBytes: number, awaitsContinue: boolean) {
    this.#req = req
    this.#res = res
    this.#maxBytes = maxBytes
    this.#length = declaredLength(req)
    this.#awaitsContinue = awaitsContinue
  }

  /** Whether so much of the body is still to come that the connection cannot be used again. */
  get abandoned(): boolean {
    return this.#length > drainable && !this.#req.complete
  }

  /** Takes in a small body as it arrives: to read it later, out of a buffer, costs more. */
  prefetch(request: HttpServerRequest): void {
    if (this.#length > 0 && this.#length <= drainable && !this.#awaitsContinue) {
      this.read(request, Infinity)
      this.#prefetched = this.#length
    }
  }

  /** Never, where nothing is prefetched. */
  whenPrefetched(then: () => void): void {
    if (this.#prefetched > 0) this.#intake?.whenClosed(then)
  }

  read(request: HttpServerRequest, maxBytes: number): Intake<HttpServerError> {
    const req = this.#req
    const limit = Math.min(maxBytes, this.#maxBytes)
    if (this.#intake !== undefined && this.#prefetched <= limit) return this.#intake
    const intake = (this.#intake = new Intake<HttpServerError>({
      pause: () => req.pause(),
      resume: () => req.resume()
    }))
    const tooLarge = () => intake.close(Exit.fail(failure(request, new BodyTooLarge({ limit }), "BodyTooLarge")))
    if (Number.isFinite(this.#length) && this.#length > limit) {
      tooLarge()
      return intake
    }
    let received = 0
    req.on("data", (chunk: Buffer) => {
      received += chunk.byteLength
      if (received <= limit) return intake.offer(chunk)
      req.pause()
      tooLarge()
    })
    req.once("end", () => intake.close(Exit.void))
    req.once("error", (cause) => intake.close(Exit.fail(failure(request, cause))))
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false
      this.#res.writeContinue()
    }
    return intake
  }

  /** Throws the rest of the body away. */
  discard(done: () => void): void {
    if (this.#awaitsContinue) done()
    else linger(this.#req, done)
  }
}

const declaredLength = (req: IncomingMessage): number => {
  const length = req.headers["content-length"]
  if (length !== undefined) return Number(length)
  return req.headers["transfer-encoding"] === undefined ? 0 : Infinity
}

const failure = (request: HttpServerRequest, cause: Error, reason: "Parse" | "BodyTooLarge" = "Parse") =>
  new HttpServerError({ reason: new RequestParseError({ request, reason, cause, description: cause.message }) })
