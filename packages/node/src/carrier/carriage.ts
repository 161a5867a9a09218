import { type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Exit from "effect/Exit"
import { type Dispatcher, errors } from "undici"
import { Intake } from "./intake.ts"
import { atEndOfTurn } from "./turn.ts"

type Resume = (exit: Exit.Exit<Incoming, NotCarried>) => void
type RawHeaders = Record<string, string | Array<string> | undefined>

const nothing = new Uint8Array(0)

/** One request on its way to an upstream, and its answer. */
export class Carriage implements Dispatcher.DispatchHandler {
  readonly #outgoing: Outgoing
  readonly #resume: Resume
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #expired = false
  #aborted = false
  #isOver = false
  #status = 0
  readonly #headers: Record<string, string> = {}
  readonly #chunks: Array<Buffer> = []
  #intake: Intake<NotCarried> | undefined

  constructor(outgoing: Outgoing, resume: Resume) {
    this.#outgoing = outgoing
    this.#resume = resume
    this.#timer = setTimeout(this.#expire, outgoing.deadlineMillis)
  }

  /** Ends the exchange and closes its connection, unless the answer has fully arrived. */
  readonly abort = (): void => {
    clearTimeout(this.#timer)
    // Every stream is left at its end as well, and an error is not made for nothing.
    if (this.#isOver) return
    this.#aborted = true
    this.#controller?.abort(new errors.RequestAbortedError())
  }

  readonly #expire = (): void => {
    this.#expired = true
    this.abort()
    // Without a connection undici says nothing until it has given up on one.
    if (this.#controller === undefined) this.#fail(undefined)
  }

  /** undici calls this when a connection is ready and immediately before it writes the first byte. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) controller.abort(new errors.RequestAbortedError())
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, raw: RawHeaders): void {
    if (status < 200) return
    this.#status = status
    for (const name in raw) {
      const value = raw[name]
      if (value !== undefined) this.#headers[name] = typeof value === "string" ? value : value.join(", ")
    }
    const head = { status, headers: this.#headers }
    if (this.#outgoing.isStreamed(head)) this.#resume(Exit.succeed({ ...head, body: this.#streamed().stream }))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#intake === undefined) {
      this.#chunks.push(chunk)
      return
    }
    this.#timer.refresh()
    this.#intake.offer(chunk)
  }

  onResponseEnd(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    if (this.#intake !== undefined) return this.#intake.close(Exit.void)
    const [first = nothing] = this.#chunks
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    const arrived = Exit.succeed({ status: this.#status, headers: this.#headers, body })
    atEndOfTurn(() => this.#resume(arrived), queueMicrotask)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  #fail(cause: Error | undefined): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    const why = this.#controller === undefined ? "not sent" : this.#expired ? "timeout" : "broken"
    const failure = Exit.fail(new NotCarried({ why, cause }))
    if (this.#intake === undefined) this.#resume(failure)
    else this.#intake.close(failure)
  }

  #streamed(): Intake<NotCarried> {
    clearTimeout(this.#timer)
    const startIdle = () => (this.#timer = setTimeout(this.#expire, this.#outgoing.idleMillis))
    startIdle()
    return (this.#intake = new Intake<NotCarried>({
      pause: () => {
        // The silence that follows is the reader's, not the upstream's.
        clearTimeout(this.#timer)
        this.#controller?.pause()
      },
      resume: () => {
        startIdle()
        this.#controller?.resume()
      },
      leave: this.abort
    }))
  }
}
