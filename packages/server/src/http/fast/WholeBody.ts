import * as Exit from "effect/Exit"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Stream from "effect/Stream"
import { type Body, tooLarge } from "../requestBody.ts"

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
