import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { ClientAbort } from "effect/http/HttpServerError"
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { atEndOfTick } from "@tollgate/node/adapter"
import type { Outgoing } from "./exchange.ts"
import type { ServerRequest } from "./serverRequest.ts"
import { send } from "./serverResponse.ts"

const ignore = () => {}
const alwaysClose = () => true
/** Only streams have readers that can be too slow. */
const noReaderTimeout = 0

/** A request in flight. It ends when both its response and its fiber have ended, in either order. */
interface ActiveRequest {
  response: Outgoing | undefined
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  /** Its fiber has not started yet, or has not ended. */
  isRunning: boolean
  readonly request: ServerRequest
  readonly sequence: number
  /** Its index in the list of active requests; -1 once it has ended. */
  index: number
}

export class InFlight {
  /** Requests are still accepted, but no connection is kept for another one. */
  leaving = false
  draining = false
  /**
   * Not a `Set`: with many additions and deletions, its old hash tables keep ended requests alive until a full garbage
   * collection, and minor collections take ten times as long.
   */
  readonly #active: Array<ActiveRequest> = []
  #count = 0
  readonly #sockets = new Set<Socket>()
  #onEmpty: Array<() => void> = []

  readonly #server: Server

  constructor(server: Server) {
    this.#server = server
    // Ours for as long as the connection is open: after a CONNECT, Node takes its own listeners off the socket.
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on("error", ignore).on("timeout", () => this.#closeIfIdle(socket))
      socket.once("close", () => this.#sockets.delete(socket))
    })
    // Without a listener Node would close the connection.
    server.on("timeout", ignore)
  }

  /** Closes a peer that stopped reading or sends no request, but not one that waits for a slow response. */
  #closeIfIdle(socket: Socket): void {
    const isWaiting = () => this.#active.some(({ response }) => response?.req.socket === socket)
    if (socket.writableLength > 0 || !isWaiting()) socket.destroy()
  }

  /** Starts the handler. `whenRead` calls back when the body has been read: an earlier start would only wait for it. */
  track(
    serverRequest: ServerRequest,
    run: () => Fiber.Fiber<unknown, unknown>,
    whenRead: (start: () => void) => void
  ): void {
    const { response: res, source: req } = serverRequest
    const request: ActiveRequest = {
      response: res,
      fiber: undefined,
      isRunning: true,
      request: serverRequest,
      sequence: this.#count++,
      index: this.#active.length
    }
    this.#active.push(request)
    const closed = () => {
      request.response = undefined
      if (!res.writableEnded) request.fiber?.interruptUnsafe(undefined, ClientAbort.annotation)
      if (this.draining) req.socket.destroySoon()
      this.#removeIfEnded(request)
    }
    res.once("close", closed)
    atEndOfTick(() => {
      const ended = () => {
        request.fiber = undefined
        request.isRunning = false
        this.#removeIfEnded(request)
      }
      if (res.closed) return ended()
      const started = run()
      if (started.pollUnsafe() !== undefined) return ended()
      request.fiber = started
      started.addObserver(ended)
    }, whenRead)
  }

  /** The unfinished responses on this socket, in order. */
  responsesOn(socket: Duplex): ReadonlyArray<Outgoing> {
    return this.#active
      .toSorted((one, other) => one.sequence - other.sequence)
      .flatMap(({ response }) => (response?.req.socket === socket ? [response] : []))
  }

  readonly closeIdle = Effect.sync(() => {
    this.draining = true
    const busy = new Set(this.#active.map(({ response }) => response?.req.socket))
    for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy()
  })

  readonly interrupt = Effect.sync(() => {
    for (const { fiber } of this.#active.slice()) fiber?.interruptUnsafe()
  })

  /** Answers the requests whose fibers do not end, as the application wants it, and closes all connections after that. */
  readonly cut = Effect.callback<void>((resume) => {
    for (const { request, response } of this.#active.slice()) {
      const answer = response?.headersSent === false ? request.answerIfCut("unknown") : undefined
      // It is no stream, so it is written by now.
      if (answer !== undefined) void send(alwaysClose, noReaderTimeout)(request, answer)
    }
    const closed = () => {
      if (this.#sockets.size === 0) resume(Effect.void)
    }
    for (const socket of this.#sockets) socket.once("close", closed).destroySoon()
    closed()
  })

  /** Waits until nobody is connected, which only a server that accepts no more can count on. */
  readonly noConnections = Effect.callback<void>((resume) => {
    const closed = () => {
      if (this.#server.listening) return
      if (this.#sockets.size === 0) resume(Effect.void)
    }
    for (const socket of this.#sockets) socket.once("close", closed)
    this.#server.on("connection", (socket: Socket) => socket.once("close", closed))
    closed()
  })

  readonly closeAll = Effect.sync(() => {
    for (const socket of this.#sockets) socket.destroy()
  })

  readonly empty = Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    this.#onEmpty.push(done)
    this.#notifyIfEmpty()
    return Effect.sync(() => {
      this.#onEmpty = this.#onEmpty.filter((other) => other !== done)
    })
  })

  #removeIfEnded(request: ActiveRequest): void {
    if (request.response !== undefined || request.isRunning || request.index === -1) return
    const last = this.#active.pop()
    if (last !== undefined && last !== request) {
      this.#active[request.index] = last
      last.index = request.index
    }
    request.index = -1
    this.#notifyIfEmpty()
  }

  #notifyIfEmpty(): void {
    if (this.#onEmpty.length === 0 || this.#active.length > 0) return
    const waiting = this.#onEmpty
    this.#onEmpty = []
    for (const done of waiting) done()
  }
}
