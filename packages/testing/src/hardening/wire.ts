import * as Effect from "effect/Effect"
import { connect, type Socket } from "node:net"
import { type Answer, parseAnswers } from "./answers.ts"

export interface Wire {
  readonly socket: Socket
  readonly send: (data: string | Uint8Array) => void
  readonly answers: () => ReadonlyArray<Answer>
  /** Waits for this many complete answers, or for the peer to close. */
  readonly until: (count: number) => Effect.Effect<ReadonlyArray<Answer>>
  /** Waits for the peer to close. */
  readonly closed: Effect.Effect<ReadonlyArray<Answer>>
}

/** Each character is one byte, so that a string can contain any bytes. */
const bytes = (data: string | Uint8Array) => (typeof data === "string" ? Buffer.from(data, "latin1") : data)

const openWire = (port: number): Promise<Wire> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    const chunks: Array<Buffer> = []
    const answers = () => parseAnswers(Buffer.concat(chunks))
    const when = (predicate: () => boolean) =>
      Effect.callback<ReadonlyArray<Answer>>((resume) => {
        const check = () => {
          if (socket.closed || predicate()) resume(Effect.sync(answers))
        }
        socket.on("data", check).on("close", check)
        check()
        return Effect.sync(() => socket.off("data", check).off("close", check))
      }).pipe(Effect.timeout("4 minutes"), Effect.orDie)
    socket.on("data", (chunk) => chunks.push(chunk))
    // The peer may close the connection during a write. Only its answers matter.
    socket.on("error", reject)
    socket.once("connect", () =>
      resolve({
        socket,
        send: (data) => void (socket.writable && socket.write(bytes(data))),
        answers,
        until: (count) => when(() => answers().filter(({ complete }) => complete).length >= count),
        closed: when(() => false)
      })
    )
  })

/** A raw TCP connection. */
export const wire = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(() => openWire(port)),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )
