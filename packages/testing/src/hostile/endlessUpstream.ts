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
    const ends: Array<Promise<number>> = []
    const upstream = yield* tcpUpstream((socket) => {
      socket.once("data", () => ends.push(pour(socket, head, bytes)))
    })
    return {
      port: upstream.port,
      /** How much of each answer was taken before its connection was closed. Waits until all are closed. */
      accepted: Effect.promise(() => Promise.all(ends))
    }
  })

/** What sockets on both sides may hold besides what the gateway reads. */
export const socketBuffers = 16 * 1024 * 1024
