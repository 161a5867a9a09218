import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { ClientAbort } from "effect/http/HttpServerError"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { atEndOfTurn } from "@tollgate/node/adapter"

/** A request that is being served: the fiber may outlive the response, and the response the fiber. */
interface Served {
  response: ServerResponse | undefined
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  readonly number: number
  /** Where it stands among the others; -1 once it is no longer served. */
  at: number
}

/** The requests that are being served, and the connections they came by. */
export class InFlight {
  draining = false
  /**
   * Not a `Set`: one that is much added to and deleted from leaves its former tables behind, each holding the next and what
   * was in it, and the collector then copies every request that there was, which takes ten times as long.
   */
  readonly #served: Array<Served> = []
  #count = 0
  readonly #sockets = new Set<Socket>()
  #onSettled: Array<() => void> = []

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once("close", () => this.#sockets.delete(socket))
    })
    // A peer that has stopped reading is cut, and one that asks for nothing; one that waits for a slow answer is not.
    server.on("timeout", (socket) => {
      const isServed = () => this.#served.some(({ response }) => response?.req.socket === socket)
      if (socket.writableLength > 0 || !isServed()) socket.destroy()
    })
  }

  /** `whenRead` tells when the body has come: to begin before it has is to wait for it. */
  track(
    req: IncomingMessage,
    res: ServerResponse,
    run: () => Fiber.Fiber<unknown, unknown>,
    whenRead: (begin: () => void) => void
  ): void {
    const served: Served = { response: res, fiber: undefined, number: this.#count++, at: this.#served.length }
    this.#served.push(served)
    const closed = () => {
      served.response = undefined
      if (!res.writableEnded) served.fiber?.interruptUnsafe(undefined, ClientAbort.annotation)
      if (this.draining) req.socket.destroySoon()
      this.#drop(served)
    }
    res.once("close", closed)
    atEndOfTurn(() => {
      if (res.closed) return
      const started = run()
      if (started.pollUnsafe() !== undefined) return
      served.fiber = started
      started.addObserver(() => {
        served.fiber = undefined
        this.#drop(served)
      })
    }, whenRead)
  }

  /** The answers that are still to go out on this socket, in their order. */
  on(socket: Duplex): ReadonlyArray<ServerResponse> {
    return this.#served
      .toSorted((one, other) => one.number - other.number)
      .flatMap(({ response }) => (response?.req.socket === socket ? [response] : []))
  }

  readonly closeIdle = Effect.sync(() => {
    this.draining = true
    const busy = new Set(this.#served.map(({ response }) => response?.req.socket))
    for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy()
  })

  readonly interrupt = Effect.sync(() => {
    for (const { fiber } of this.#served.slice()) fiber?.interruptUnsafe()
  })

  readonly closeAll = Effect.sync(() => {
    for (const socket of this.#sockets) socket.destroy()
  })

  readonly settled = Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    this.#onSettled.push(done)
    this.#settle()
    return Effect.sync(() => {
      this.#onSettled = this.#onSettled.filter((other) => other !== done)
    })
  })

  #drop(served: Served): void {
    if (served.response !== undefined || served.fiber !== undefined || served.at === -1) return
    const last = this.#served.pop()
    if (last !== undefined && last !== served) {
      this.#served[served.at] = last
      last.at = served.at
    }
    served.at = -1
    this.#settle()
  }

  #settle(): void {
    if (this.#onSettled.length === 0 || this.#served.length > 0) return
    const waiting = this.#onSettled
    this.#onSettled = []
    for (const done of waiting) done()
  }
}
