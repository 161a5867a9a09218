import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"

/** How a proxy treats a request for a tunnel: it connects to this port, answers a status, hangs up, or says nothing. */
export type Behaviour =
  | { readonly port: number; readonly cutAfterBytes?: number }
  | { readonly status: number }
  | "hang up"
  | "silent"

export interface Proxy {
  readonly url: string
  /** What tunnels were asked for, as `host:port`, and with which credentials. */
  readonly asked: ReadonlyArray<{ readonly to: string | undefined; readonly authorization: string | undefined }>
}

const tunnel = (
  socket: Socket,
  { cutAfterBytes = Infinity, port }: Extract<Behaviour, { readonly port: number }>
): void => {
  let left = cutAfterBytes
  const upstream = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 Connection established\r\n\r\n"))
  const close = () => {
    socket.destroy()
    upstream.destroy()
  }
  for (const one of [socket, upstream]) one.on("error", close).on("close", close)
  socket.pipe(upstream)
  upstream.on("data", (chunk) => {
    left -= chunk.length
    if (left < 0) close()
    else socket.write(chunk)
  })
}

/** A small HTTP proxy. Whatever host is asked for, it connects to one port of this machine. */
export const startProxy = (behaviour: Behaviour) =>
  Effect.acquireRelease(
    Effect.callback<Proxy & { readonly stop: () => void }>((resume) => {
      const asked: Array<Proxy["asked"][number]> = []
      const sockets = new Set<Socket>()
      const server = createServer((_, response) => response.writeHead(400).end("only tunnels"))
      server.on("connection", (socket) => sockets.add(socket))
      server.on("connect", ({ headers, url }, socket: Socket) => {
        socket.on("error", () => {})
        asked.push({ to: url, authorization: headers["proxy-authorization"] })
        if (behaviour === "hang up") socket.destroy()
        else if (behaviour === "silent") return
        else if ("status" in behaviour) socket.end(`HTTP/1.1 ${behaviour.status} No\r\ncontent-length: 0\r\n\r\n`)
        else tunnel(socket, behaviour)
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const stop = () => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, asked, stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )
