import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A connection to a server that a test can cut or hold. */
export interface Cable {
  readonly port: number
  /** Closes every connection, and refuses new ones, until it is mended. */
  readonly cut: () => void
  /** Keeps connections open and passes nothing on, until it is mended. */
  readonly hold: () => void
  readonly mend: () => void
  readonly close: () => void
}

export const cableTo = async (port: number): Promise<Cable> => {
  let state: "whole" | "cut" | "held" = "whole"
  const sockets = new Set<Socket>()
  const destroyAll = () => sockets.forEach((socket) => socket.destroy())
  const server = createServer((client) => {
    if (state === "cut") return void client.destroy()
    const upstream = connect(port, "127.0.0.1")
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.on("data", (data) => {
        if (state === "whole") other.write(data)
      })
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      state = "cut"
      destroyAll()
    },
    hold: () => void (state = "held"),
    mend: () => {
      state = "whole"
      // What was held is lost.
      destroyAll()
    },
    close: () => {
      server.close()
      destroyAll()
    }
  }
}
