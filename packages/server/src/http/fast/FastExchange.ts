import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Incoming, Outgoing } from "../exchange.ts"
import type { Head } from "./head.ts"
import { responseHead } from "./responseHead.ts"

/** A request that is here in full, and its response. One object: there is one for each call. */
export class FastExchange implements Incoming, Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly socket: Socket
  writableEnded = false
  closed = false
  chunkedEncoding = false
  /** The connection closes after this response. */
  isLast = false
  readonly #connection: string
  readonly #onFinished: () => void
  /** The head, until it is sent. */
  #head = ""
  #isHeadWritten = false
  #onClose: Array<() => void> = []
  #nodeResponse: ServerResponse | undefined

  /** `connection`: the lines of its head that tell whether the connection is kept. */
  constructor(head: Head, socket: Socket, connection: string, onFinished: () => void) {
    this.method = head.method
    this.url = head.url
    this.headers = head.headers
    this.socket = socket
    this.#connection = connection
    this.#onFinished = onFinished
  }

  get req(): this {
    return this
  }

  get httpVersion(): string {
    return "1.1"
  }

  get httpVersionMajor(): number {
    return 1
  }

  get httpVersionMinor(): number {
    return 1
  }

  get complete(): boolean {
    return true
  }

  get headersSent(): boolean {
    return this.#isHeadWritten || this.#nodeResponse?.headersSent === true
  }

  get destroyed(): boolean {
    return this.closed
  }

  get writableNeedDrain(): boolean {
    return this.socket.writableNeedDrain
  }

  writeHead(status: number, statusText: string, headers: OutgoingHttpHeaders): void {
    const { isChunked, isLast, text } = responseHead(status, statusText, headers, this.#connection)
    this.#nodeResponse?.detachSocket(this.socket)
    this.#nodeResponse = undefined
    this.#isHeadWritten = true
    this.chunkedEncoding = isChunked
    this.isLast = isLast
    this.#head = text
  }

  flushHeaders(): void {
    if (this.#head !== "") this.write("", "latin1")
  }

  write(data: string | Uint8Array, encoding?: "latin1"): boolean {
    if (this.closed) return false
    const head = this.#head
    if (head === "") return this.#send(data, encoding)
    this.#head = ""
    if (typeof data === "string") return this.#send(head + data, encoding)
    this.socket.cork()
    this.#send(head, "latin1")
    const writable = this.#send(data)
    this.socket.uncork()
    return writable
  }

  #send(data: string | Uint8Array, encoding?: "latin1"): boolean {
    return typeof data === "string" ? this.socket.write(data, encoding ?? "utf8") : this.socket.write(data)
  }

  end(data: string | Uint8Array = "", encoding?: "latin1"): void {
    if (this.closed) return
    if (data.length > 0 || this.#head !== "") this.write(data, encoding)
    this.writableEnded = true
    // Usually the system has taken all of it by now.
    if (this.socket.writableLength === 0) this.#finish()
    else this.socket.write("", "latin1", () => this.#finish())
  }

  #finish(): void {
    if (this.closed) return
    this.close()
    this.#onFinished()
  }

  /** The response has ended, or the connection has. */
  close(): void {
    if (this.closed) return
    this.closed = true
    const listeners = this.#onClose
    this.#onClose = []
    for (const listener of listeners) listener()
  }

  cork(): void {
    this.socket.cork()
  }

  uncork(): void {
    this.socket.uncork()
  }

  destroy(): void {
    this.socket.destroy()
  }

  once(event: "close" | "drain", listener: () => void): this {
    if (event === "drain") this.socket.once("drain", listener)
    else this.#onClose.push(listener)
    return this
  }

  off(event: "close" | "drain", listener: () => void): this {
    if (event === "drain") this.socket.off("drain", listener)
    else this.#onClose = this.#onClose.filter((other) => other !== listener)
    return this
  }

  /** A response of `node:http` to this request, for code that needs one. It is written instead of this one. */
  nodeResponse(req: IncomingMessage): ServerResponse {
    const res = new ServerResponse(req)
    this.#nodeResponse = res
    res.assignSocket(this.socket)
    res.once("finish", () => {
      if (this.closed) return
      res.detachSocket(this.socket)
      this.isLast = !res.shouldKeepAlive
      this.writableEnded = true
      this.#finish()
    })
    return res
  }
}
