import type { Server } from "node:http"
import { Socket } from "node:net"

interface Timeout {
  millis: number
  /** Time of the last check that saw progress; undefined before the first. */
  since: number | undefined
  transferred: number
  pending: number
  /** Node's own timer is set. */
  timed: boolean
}

const timeoutOf = new WeakMap<Socket, Timeout>()

const nodeTimer = (socket: Socket, timeout: Timeout, millis: number): void => {
  timeout.timed = millis > 0
  Socket.prototype.setTimeout.call(socket, millis)
}

/**
 * Limits how long the peer may take nothing of a write that is pending. The time starts again with all progress. Returns
 * what ends the limit.
 */
export const limitStall = (socket: Socket, millis: number): (() => void) => {
  const timeout = timeoutOf.get(socket)
  if (timeout === undefined) return () => {}
  nodeTimer(socket, timeout, timeout.millis > 0 ? Math.min(millis, timeout.millis) : millis)
  return () => {
    timeout.since = undefined
    nodeTimer(socket, timeout, 0)
  }
}

/**
 * Replaces the two timers that Node sets on a connection for each request by a periodic check of all connections: the
 * timers cost a thirtieth of a proxied call. A timeout is never early. It is late by one interval at most, or by once
 * its length where a write is pending: only Node sees the progress of a write, so its own timer then decides.
 */
export const checkTimeouts = (server: Server, everyMillis: number): void => {
  const timeouts = new Map<Socket, Timeout>()

  const check = (): void => {
    const now = performance.now()
    for (const [socket, timeout] of timeouts) {
      if (timeout.millis === 0 || timeout.timed) continue
      const transferred = socket.bytesRead + socket.bytesWritten
      const pending = socket.writableLength
      if (timeout.since === undefined || transferred !== timeout.transferred || pending !== timeout.pending) {
        timeout.since = now
        timeout.transferred = transferred
        timeout.pending = pending
      } else if (now - timeout.since >= timeout.millis) {
        // Once until the next progress.
        timeout.since = Number.POSITIVE_INFINITY
        if (pending > 0) nodeTimer(socket, timeout, timeout.millis)
        else socket.emit("timeout")
      }
    }
  }

  // Before Node's own listener, which sets the first timeout.
  server.prependListener("connection", (socket: Socket) => {
    const timeout: Timeout = { millis: 0, since: undefined, transferred: 0, pending: 0, timed: false }
    timeouts.set(socket, timeout)
    timeoutOf.set(socket, timeout)
    socket.once("close", () => timeouts.delete(socket))
    socket.setTimeout = (millis, callback) => {
      timeout.millis = millis
      timeout.since = undefined
      if (timeout.timed) nodeTimer(socket, timeout, 0)
      if (callback !== undefined) socket.once("timeout", callback)
      return socket
    }
  })
  const timer = setInterval(check, everyMillis).unref()
  server.once("close", () => clearInterval(timer))
}
