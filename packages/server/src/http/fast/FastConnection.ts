import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { FastExchange } from "./FastExchange.ts"
import { type Head, mayBecomePlain, parseHead } from "./head.ts"

/** What all connections of a server share. */
export interface FastServer {
  readonly maxHeaderBytes: number
  readonly maxHeaderCount: number
  readonly maxRequests: number
  readonly idleMillis: number
  readonly keepAliveMillis: number
  /** The header lines of a connection that is kept. */
  readonly keepAlive: string
  readonly accept: (exchange: FastExchange, body: Uint8Array) => void
  /** Has `node:http` read this connection from here on. */
  readonly handOver: (connection: FastConnection, socket: Socket, bytes: Uint8Array) => void
  /** Refuses what cannot become a request any more. */
  readonly fail: (socket: Socket, code: string) => void
  readonly timedOut: (socket: Socket) => void
  readonly closed: (connection: FastConnection) => void
  /** A request is arriving, or the first one is awaited. */
  readonly waits: () => void
}

/** A request that has arrived while another one is being answered. */
interface Waiting {
  readonly head: Head
  readonly body: Buffer
}

const emptyLine = Buffer.from("\r\n\r\n")
const nothing = Buffer.alloc(0)

/** Of the methods in the subset. Anything else, such as an empty line, need not be awaited. */
const firstBytes: ReadonlySet<number | undefined> = new Set(Buffer.from("GPD"))

/** While so many bytes wait for an answer to an earlier request, the connection is not read. */
const maxWaitingBytes = 128 * 1024

const lastAnswer = "Connection: close\r\n"

/** Reads the requests of one connection, and has one after the other answered, until one is not in the subset. */
export class FastConnection {
  readonly #server: FastServer
  readonly #socket: Socket
  #exchange: FastExchange | undefined
  #waiting: Array<Waiting> = []
  /** What has been read of the next request. */
  #held: Buffer = nothing
  /** The size of the next request, if its head has arrived. */
  #expected = 0
  #requests = 0
  /** The next request is not in the subset. `node:http` reads it when all before it are answered. */
  #isForNode = false
  /** Refused. What still arrives is not read. */
  #isOver = false
  /** Since when a request has been arriving, or the first is awaited; undefined if none is. */
  waitsSince: number | undefined

  constructor(server: FastServer, socket: Socket) {
    this.#server = server
    this.#socket = socket
    socket.setTimeout(server.idleMillis)
    socket.on("data", this.#onData).on("end", this.#onEnd).on("error", ignore)
    socket.on("close", this.#onClose).on("timeout", this.#onTimeout)
    this.#wait()
  }

  get isAnswering(): boolean {
    return this.#exchange !== undefined
  }

  /** What has arrived of the next request. */
  get arrived(): "nothing" | "a part of its head" | "its head" {
    if (this.#held.length === 0) return "nothing"
    return this.#expected === 0 ? "a part of its head" : "its head"
  }

  /** Leaves the connection to `node:http`, with what has been read of the next request. */
  handOver(): void {
    this.waitsSince = undefined
    const socket = this.#socket
    socket.off("data", this.#onData).off("end", this.#onEnd).off("error", ignore)
    socket.off("close", this.#onClose).off("timeout", this.#onTimeout)
    this.#server.handOver(this, socket, this.#held)
    this.#held = nothing
  }

  /** The next request takes too long to arrive. */
  refuseLate(): void {
    this.#fail("ERR_HTTP_REQUEST_TIMEOUT")
  }

  #fail(code: string): void {
    this.waitsSince = undefined
    this.#isOver = true
    this.#held = nothing
    this.#server.fail(this.#socket, code)
  }

  #wait(): void {
    if (this.waitsSince !== undefined) return
    this.waitsSince = performance.now()
    this.#server.waits()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isOver) return
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    if (!this.#isForNode) while (this.#held.length > 0 && this.#takeRequest());
    if (this.#exchange !== undefined && this.#waitingBytes() > maxWaitingBytes) this.#socket.pause()
  }

  #waitingBytes(): number {
    return this.#waiting.reduce((sum, { body }) => sum + body.length, this.#held.length)
  }

  /** Returns false if nothing more can be taken now. */
  #takeRequest(): boolean {
    const bytes = this.#held
    if (bytes.length < this.#expected) return false
    if (!firstBytes.has(bytes[0])) return this.#leave()
    const headEnd = bytes.indexOf(emptyLine)
    const { maxHeaderBytes, maxHeaderCount } = this.#server
    if (headEnd === -1 && bytes.length < maxHeaderBytes && mayBecomePlain(bytes, maxHeaderCount)) {
      return this.#arrives(0)
    }
    if (headEnd === -1 || headEnd > maxHeaderBytes) return this.#leave()
    const head = parseHead(bytes.toString("latin1", 0, headEnd + 2), maxHeaderCount)
    if (head === undefined) return this.#leave()
    const bodyStart = headEnd + 4
    const end = bodyStart + head.length
    if (bytes.length < end) return this.#arrives(end)
    this.waitsSince = undefined
    this.#expected = 0
    this.#held = bytes.length === end ? nothing : bytes.subarray(end)
    const body = bytes.subarray(bodyStart, end)
    if (this.#exchange === undefined) this.#answer(head, body)
    else this.#waiting.push({ head, body })
    return true
  }

  #arrives(expected: number): false {
    this.#expected = expected
    this.#wait()
    return false
  }

  #leave(): false {
    this.waitsSince = undefined
    this.#isForNode = true
    if (this.#exchange === undefined) this.handOver()
    return false
  }

  #answer(head: Head, body: Buffer): void {
    const { accept, idleMillis, keepAlive, maxRequests } = this.#server
    if (++this.#requests > 1) this.#socket.setTimeout(idleMillis)
    const connection = this.#requests < maxRequests ? keepAlive : lastAnswer
    const exchange = new FastExchange(head, this.#socket, connection, this.#onFinished)
    this.#exchange = exchange
    if (this.#requests <= maxRequests) return accept(exchange, body)
    // As `node:http` refuses it.
    exchange.writeHead(503, STATUS_CODES[503]!, {})
    exchange.end("0\r\n\r\n", "latin1")
  }

  readonly #onFinished = (): void => {
    const isLast = this.#exchange?.isLast === true
    if (isLast) return this.#socket.destroySoon()
    this.#exchange = undefined
    this.#socket.setTimeout(this.#server.keepAliveMillis)
    if (this.#waiting.length > 0 || this.#isForNode || this.#socket.isPaused()) process.nextTick(this.#goOn)
  }

  readonly #goOn = (): void => {
    if (this.#socket.destroyed || this.#exchange !== undefined) return
    const next = this.#waiting.shift()
    if (next !== undefined) this.#answer(next.head, next.body)
    else if (this.#isForNode) return this.handOver()
    if (this.#socket.isPaused() && this.#waitingBytes() <= maxWaitingBytes) this.#socket.resume()
  }

  readonly #onEnd = (): void => {
    if (this.#exchange === undefined && this.#held.length > 0) this.#fail("HPE_INVALID_EOF_STATE")
    else this.#socket.end()
  }

  readonly #onTimeout = (): void => this.#server.timedOut(this.#socket)

  readonly #onClose = (): void => {
    this.waitsSince = undefined
    this.#waiting = []
    this.#server.closed(this)
    this.#exchange?.close()
  }
}

const ignore = (): void => {}
