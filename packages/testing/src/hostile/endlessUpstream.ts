import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import { tcpUpstream } from "../upstream.ts"

/** Writes `piece` after `head` until the peer closes the connection. Returns the bytes that the system took from it. */
export const pour = (socket: Socket, head: string, piece: Buffer): Promise<number> =>
  new Promise((resolve) => {
    let accepted = 0
    const write = (): void => {
      if (socket.destroyed) return
      socket.write(piece, (error) => {
        if (error !== undefined && error !== null) return
        accepted += piece.length
        write()
      })
    }
    socket.on("error", () => {}).once("close", () => resolve(accepted))
    socket.write(head)
    write()
  })

/** An upstream whose answers never end. */
export const endlessUpstream = (head: string, piece: string) =>
  Effect.gen(function* () {
    const bytes = Buffer.from(piece)
    const ends: Array<Deferred.Deferred<number>> = []
    const upstream = yield* tcpUpstream((socket) => {
      const end = Deferred.makeUnsafe<number>()
      ends.push(end)
      socket.once("data", () => {
        void pour(socket, head, bytes).then((accepted) => Deferred.doneUnsafe(end, Effect.succeed(accepted)))
      })
    })
    return {
      port: upstream.port,
      /** How much of each answer was taken before its connection was closed. Waits until all are closed. */
      accepted: Effect.suspend(() => Effect.all(ends.map((end) => Deferred.await(end))))
    }
  })

/** What sockets on both sides may hold besides what the gateway reads. */
export const socketBuffers = 16 * 1024 * 1024
