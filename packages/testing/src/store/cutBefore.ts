import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A proxy in front of a server that cuts the connection instead of passing on what contains `text`. */
export const cutBefore = async (port: number, text: string) => {
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(port, "127.0.0.1")
    const cut = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on("error", cut).on("close", cut)
    }
    client.on("data", (data) => void (data.includes(text) ? cut() : server.write(data)))
    server.pipe(client)
  }).listen(0, "127.0.0.1")
  await once(proxy, "listening")
  return {
    port: (proxy.address() as AddressInfo).port,
    close: () => {
      proxy.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
