import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { DecodeError, HttpClientError, TransportError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import { type Dispatcher, errors } from "undici"
import { ClientResponse } from "./clientResponse.ts"
import { Intake } from "./intake.ts"
import { NotSent } from "./notSent.ts"

type Resume = (effect: Effect.Effect<ClientResponse, HttpClientError>) => void
type RawHeaders = Record<string, string | Array<string> | undefined>

/** One request on its way through undici, and the answer to it. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpClientRequest
  readonly #url: URL
  readonly #resume: Resume
  #controller: Dispatcher.DispatchController | undefined
  #aborted = false
  #response: ClientResponse | undefined
  readonly #stallMillis: number
  #stalled: NodeJS.Timeout | undefined
  readonly #intake: Intake<HttpClientError> = new Intake({
    pause: () => {
      this.#controller?.pause()
      // undici's own timeout does not run while it is paused: an answer that nobody reads would hold its connection.
      if (this.#stallMillis > 0) this.#stalled = setTimeout(this.abort, this.#stallMillis).unref()
    },
    resume: () => {
      clearTimeout(this.#stalled)
      this.#controller?.resume()
    },
    leave: () => this.abort()
  })

  constructor(request: HttpClientRequest, url: URL, stallMillis: number, resume: Resume) {
    this.#request = request
    this.#url = url
    this.#stallMillis = stallMillis
    this.#resume = resume
  }

  /** Ends the request and closes its connection, unless the answer has fully arrived. */
  readonly abort = (): void => {
    this.#aborted = true
    this.#controller?.abort(new errors.RequestAbortedError())
  }

  /** undici calls this when a connection is ready and immediately before it writes the first byte. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) this.abort()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) return
    this.#response = new ClientResponse(this.#request, this.#url, status, headers, this.#intake)
    this.#resume(Effect.succeed(this.#response))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#intake.offer(chunk)
  }

  onResponseEnd(): void {
    this.#intake.close(Exit.void)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#stalled)
    const request = this.#request
    const response = this.#response
    if (response !== undefined) {
      const reason = new DecodeError({ request, response, cause: error, description: error.message })
      return this.#intake.close(Exit.fail(new HttpClientError({ reason })))
    }
    const cause = this.#controller === undefined ? new NotSent({ cause: error }) : error
    const reason = new TransportError({ request, cause, description: error.message })
    this.#resume(Effect.fail(new HttpClientError({ reason })))
  }
}
