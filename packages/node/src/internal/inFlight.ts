import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { ClientAbort } from "effect/http/HttpServerError"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { atEndOfTurn } from "./turn.ts"

/** The requests that are being served: the fiber may outlive the response, and the response the fiber. */
export class InFlight {
  draining = false
  readonly #fibers = new Set<Fiber.Fiber<unknown, unknown>>()
  readonly #responses = new Set<ServerResponse>()
  readonly #sockets = new Set<Socket>()
  #onSettled: Array<() => void> = []

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once("close", () => this.#sockets.delete(socket))
    })
  }

  track(req: IncomingMessage, res: ServerResponse, run: () => Fiber.Fiber<unknown, unknown>): void {
    let fiber: Fiber.Fiber<unknown, unknown> | undefined
    const closed = () => {
      this.#responses.delete(res)
      if (fiber !== undefined && !res.writableEnded) fiber.interruptUnsafe(undefined, ClientAbort.annotation)
      if (this.draining) req.socket.destroySoon()
      this.#settle()
    }
    this.#responses.add(res)
    res.once("close", closed).on("timeout", cutIfStalled)
    atEndOfTurn(() => {
      if (res.closed) return
      const started = run()
      if (started.pollUnsafe() !== undefined) return
      fiber = started
      this.#fibers.add(started)
      started.addObserver(() => {
        this.#fibers.delete(started)
        this.#settle()
      })
    })
  }

  /** The answers that are still to go out on this socket, in their order. */
  on(socket: Duplex): ReadonlyArray<ServerResponse> {
    return [...this.#responses].filter(({ req }) => req.socket === socket)
  }

  readonly closeIdle = Effect.sync(() => {
    this.draining = true
    const busy = new Set<Socket>()
    for (const res of this.#responses) busy.add(res.req.socket)
    for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy()
  })

  readonly interrupt = Effect.sync(() => {
    for (const fiber of this.#fibers) fiber.interruptUnsafe()
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

  #settle(): void {
    if (this.#onSettled.length === 0 || this.#fibers.size > 0 || this.#responses.size > 0) return
    const waiting = this.#onSettled
    this.#onSettled = []
    for (const done of waiting) done()
  }
}

/** A peer that has stopped reading is cut; one that waits for a slow answer is not. */
function cutIfStalled(this: ServerResponse): void {
  if (this.socket !== null && this.socket.writableLength > 0) this.socket.destroy()
}
