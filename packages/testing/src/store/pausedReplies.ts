import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** Frontend messages that end a statement: a simple query, and Sync. */
const statementEnds = new Set(["Q", "S"])

/** Counts the statements in what a client sends. Only after the start-up message, which has no type. */
const counter = () => {
  let rest = Buffer.alloc(0)
  let isStarted = false
  return (data: Buffer): number => {
    rest = Buffer.concat([rest, data])
    let ends = 0
    for (;;) {
      const header = isStarted ? 1 : 0
      if (rest.length < header + 4) return ends
      const length = header + rest.readUInt32BE(header)
      if (rest.length < length) return ends
      if (isStarted && statementEnds.has(String.fromCharCode(rest[0]!))) ends++
      isStarted = true
      rest = rest.subarray(length)
    }
  }
}

export interface PausedReplies {
  readonly port: number
  /** From now on the server's replies are held until the client has sent this many statements; then for the next number. */
  readonly holdUntil: (counts: ReadonlyArray<number>) => void
  /** The numbers that were not reached yet. */
  readonly left: () => ReadonlyArray<number>
  /** How many statements the client has sent since `holdUntil`. */
  readonly sent: () => number
  readonly close: () => void
}

/** A proxy in front of PostgreSQL. A client that waits for each reply never gets one from it. */
export const pausedReplies = async (port: number): Promise<PausedReplies> => {
  let wanted: Array<number> = []
  let seen = 0
  let sent = 0
  const held: Array<() => void> = []
  const sockets = new Set<Socket>()
  const release = () => held.splice(0).forEach((send) => send())
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1")
    const count = counter()
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => {})
    }
    client.on("close", () => upstream.destroy())
    upstream.on("close", () => client.destroy())
    client.on("data", (data) => {
      upstream.write(data)
      const ends = count(data)
      seen += ends
      sent += ends
      if (wanted[0] === undefined || seen < wanted[0]) return
      seen -= wanted.shift()!
      release()
    })
    // Replies to what was asked before the last number was reached belong to it.
    upstream.on("data", (data) =>
      wanted.length === 0 || seen === 0 ? client.write(data) : held.push(() => client.write(data))
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    holdUntil: (counts) => {
      wanted = [...counts]
      seen = 0
      sent = 0
    },
    left: () => wanted,
    sent: () => sent,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
