import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"

export interface Server {
  readonly url: string
  readonly stop: () => Promise<void>
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** Ends the server when the pipe to this process closes, however this process ends. */
export const keeper = (signal: "QUIT" | "TERM"): string =>
  `"$@" & server=$!; (read line; kill -${signal} $server) <&3 & wait $server`
