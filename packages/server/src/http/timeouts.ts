import type { Server } from "node:http"
import type { Socket } from "node:net"

interface Timeout {
  millis: number
  /** Time of the last sweep that saw progress; undefined before the first. */
  since: number | undefined
  transferred: number
  pending: number
}

/** Calls what Node's own timer would: it emits `timeout` unless a write is still making progress. */
const expire = (socket: Socket & { readonly _onTimeout?: () => void }): void => {
  if (socket._onTimeout === undefined) socket.emit("timeout")
  else socket._onTimeout()
}

/**
 * Replaces the two timers that Node sets on a connection for each request by a periodic sweep over all connections. The
 * timers cost a thirtieth of a proxied call. A timeout is late by one interval at most, and never early.
 */
export const sweepTimeouts = (server: Server, everyMillis: number): void => {
  const timeouts = new Map<Socket, Timeout>()

  const sweep = (): void => {
    const now = performance.now()
    for (const [socket, timeout] of timeouts) {
      if (timeout.millis === 0) continue
      const transferred = socket.bytesRead + socket.bytesWritten
      const pending = socket.writableLength
      if (timeout.since === undefined || transferred !== timeout.transferred || pending !== timeout.pending) {
        timeout.since = now
        timeout.transferred = transferred
        timeout.pending = pending
      } else if (now - timeout.since >= timeout.millis) {
        // Once until the next progress. But while a write is pending, only Node sees its progress: ask again later.
        timeout.since = pending > 0 ? now : Number.POSITIVE_INFINITY
        expire(socket)
      }
    }
  }

  // Before Node's own listener, which sets the first timeout.
  server.prependListener("connection", (socket: Socket) => {
    const timeout: Timeout = { millis: 0, since: undefined, transferred: 0, pending: 0 }
    timeouts.set(socket, timeout)
    socket.once("close", () => timeouts.delete(socket))
    socket.setTimeout = (millis, callback) => {
      timeout.millis = millis
      timeout.since = undefined
      if (callback !== undefined) socket.once("timeout", callback)
      return socket
    }
  })
  const timer = setInterval(sweep, everyMillis).unref()
  server.once("close", () => clearInterval(timer))
}
