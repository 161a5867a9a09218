import type { Socket } from "node:net"
import { FastExchange } from "./FastExchange.ts"
import { mayBecomePlain, parseHead } from "./head.ts"

export interface FastServer {
  readonly maxHeaderBytes: number
  readonly maxHeaderCount: number
  readonly maxRequests: number
  readonly idleMillis: number
  readonly keepAliveMillis: number
  /** The header lines of a connection that is kept. */
  readonly keepAlive: string
  /** `since`: when its first bytes came, if they came before the others. */
  readonly accept: (exchange: FastExchange, body: Uint8Array, since: number | undefined) => void
  /** Has `node:http` read this connection from here on. */
  readonly handOver: (connection: FastConnection, socket: Socket, bytes: Uint8Array, since: number | undefined) => void
  /** Refuses what cannot become a request any more. */
  readonly fail: (socket: Socket, code: string) => void
  readonly closed: (connection: FastConnection) => void
  /** A request is arriving, or the first one is awaited. */
  readonly waits: () => void
}

const emptyLine = Buffer.from("\r\n\r\n")
const nothing = Buffer.alloc(0)

/** Of the methods in the subset. Anything else, such as an empty line, need not be awaited. */
const firstBytes: ReadonlySet<number | undefined> = new Set(Buffer.from("GPD"))

/** While more than this waits for an answer, the connection is not read. Up to it we see that the peer leaves. */
const maxWaitingBytes = 16 * 1024

const lastAnswer = "Connection: close\r\n"

/** Reads the requests of one connection, until one is not in the subset or does not wait for the answer before it. */
export class FastConnection {
  readonly #server: FastServer
  readonly #socket: Socket
  #exchange: FastExchange | undefined
  /** What has been read of the next request. */
  #held: Buffer = nothing
  /** The size of the next request, if its head has arrived. */
  #expected = 0
  #requests = 0
  /** Since when a request has been arriving, or the first is awaited; undefined if none is. */
  waitsSince: number | undefined

  constructor(server: FastServer, socket: Socket) {
    this.#server = server
    this.#socket = socket
    socket.setTimeout(server.idleMillis)
    socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose)
    this.#wait()
  }

  /** A part of the next request has arrived. */
  get hasBegun(): boolean {
    return this.#held.length > 0
  }

  /** Leaves the connection to `node:http`, with what has been read of the next request. */
  handOver(): void {
    const socket = this.#socket
    if (socket.destroyed) return
    const since = this.#held.length === 0 ? undefined : this.waitsSince
    this.waitsSince = undefined
    socket.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose)
    this.#server.handOver(this, socket, this.#held, since)
    this.#held = nothing
  }

  #wait(): void {
    if (this.waitsSince !== undefined) return
    this.waitsSince = performance.now()
    this.#server.waits()
  }

  readonly #onData = (chunk: Buffer): void => {
    // From here on it is this request that is awaited, no longer the first one of the connection.
    if (this.#held.length === 0) this.waitsSince = undefined
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    if (this.#exchange === undefined) this.#takeRequest()
    else if (this.#held.length > maxWaitingBytes) this.#socket.pause()
  }

  #takeRequest(): void {
    const bytes = this.#held
    if (bytes.length < this.#expected) return
    if (!firstBytes.has(bytes[0])) return this.handOver()
    const headEnd = bytes.indexOf(emptyLine)
    const { accept, idleMillis, keepAlive, maxHeaderBytes, maxHeaderCount, maxRequests } = this.#server
    if (headEnd === -1 && bytes.length < maxHeaderBytes && mayBecomePlain(bytes, maxHeaderCount)) return this.#wait()
    if (headEnd === -1 || headEnd > maxHeaderBytes) return this.handOver()
    const head = parseHead(bytes.toString("latin1", 0, headEnd + 2), maxHeaderCount)
    if (head === undefined) return this.handOver()
    const bodyStart = headEnd + 4
    const end = bodyStart + head.length
    if (bytes.length < end) {
      this.#expected = end
      return this.#wait()
    }
    const since = this.waitsSince
    this.waitsSince = undefined
    this.#expected = 0
    this.#held = bytes.length === end ? nothing : bytes.subarray(end)
    if (++this.#requests > 1) this.#socket.setTimeout(idleMillis)
    const connection = this.#requests < maxRequests ? keepAlive : lastAnswer
    this.#exchange = new FastExchange(head, this.#socket, connection, this.#onFinished)
    accept(this.#exchange, bytes.subarray(bodyStart, end), since)
  }

  readonly #onFinished = (): void => {
    const { keepAliveMillis, maxRequests } = this.#server
    if (this.#exchange?.isLast === true || this.#requests === maxRequests) return this.#socket.destroySoon()
    this.#exchange = undefined
    if (this.#held.length > 0) this.handOver()
    else this.#socket.setTimeout(keepAliveMillis)
  }

  readonly #onEnd = (): void => {
    if (this.#exchange === undefined && this.#held.length > 0) {
      this.waitsSince = undefined
      this.#server.fail(this.#socket, "HPE_INVALID_EOF_STATE")
    } else this.#socket.end()
  }

  readonly #onClose = (): void => {
    this.waitsSince = undefined
    this.#server.closed(this)
    this.#exchange?.close()
  }
}
