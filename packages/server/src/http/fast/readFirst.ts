import type { Server } from "node:http"
import type { Socket } from "node:net"
import { FastConnection, type FastServer } from "./FastConnection.ts"
import { arrivals } from "../requestBody.ts"

/** `node:http` reads a request that takes longer to arrive, with its own limits of time, and starts its handler early. */
const arrivingMillis = 100

/** Node closes an idle connection this long after the time that it tells the client. */
const keepAliveBufferMillis = 1_000

interface Options {
  /** The listener of `node:http` for connections. */
  readonly ofNode: (socket: Socket) => void
  readonly maxHeaderBytes: number
  readonly maxHeaderCount: number
  /** `node:http` waits for a first request that takes longer to begin. */
  readonly freshMillis: number
  readonly accept: FastServer["accept"]
}

/**
 * Reads plain requests in front of `node:http`, which costs less. `node:http` gets each connection on which something
 * else arrives, with all bytes of that request: it alone decides what is refused.
 */
export const readFirst = (server: Server, options: Options): void => {
  const { freshMillis, maxHeaderBytes, maxHeaderCount, ofNode } = options
  const connections = new Set<FastConnection>()
  let timer: NodeJS.Timeout | undefined

  /** Hands over who takes long. */
  const check = (): void => {
    timer = undefined
    const now = performance.now()
    for (const connection of connections) {
      const { hasBegun, waitsSince = now } = connection
      if (now - waitsSince >= (hasBegun ? arrivingMillis : freshMillis)) connection.handOver()
      if (connection.waitsSince !== undefined) waits()
    }
  }
  const waits = (): void => {
    timer ??= setTimeout(check, Math.min(arrivingMillis, freshMillis)).unref()
  }

  const { keepAliveTimeout, maxRequestsPerSocket } = server
  const maxRequests = maxRequestsPerSocket ?? 0
  const max = maxRequests > 0 ? `, max=${maxRequests}` : ""
  const hint = keepAliveTimeout === 0 ? "" : `Keep-Alive: timeout=${Math.floor(keepAliveTimeout / 1_000)}${max}\r\n`
  const fast: FastServer = {
    maxHeaderBytes,
    maxHeaderCount,
    maxRequests: maxRequests > 0 ? maxRequests : Infinity,
    idleMillis: server.timeout,
    keepAliveMillis: keepAliveTimeout === 0 ? server.timeout : keepAliveTimeout + keepAliveBufferMillis,
    keepAlive: `Connection: keep-alive\r\n${hint}`,
    accept: options.accept,
    handOver: (connection, socket, bytes, since) => {
      connections.delete(connection)
      if (since !== undefined) arrivals.set(socket, since)
      // So that nothing is read before these bytes are.
      socket.pause()
      ofNode.call(server, socket)
      if (bytes.length > 0) socket.unshift(bytes)
      socket.resume()
    },
    fail: (socket, code) => server.emit("clientError", Object.assign(new Error(code), { code }), socket),
    closed: (connection) => connections.delete(connection),
    waits
  }
  server.off("connection", ofNode)
  server.on("connection", (socket: Socket) => connections.add(new FastConnection(fast, socket)))
}
