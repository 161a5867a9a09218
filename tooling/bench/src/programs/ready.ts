import type { Server } from "node:net"

/** Tells the bench where this program listens, and ends with it. */
export const ready = (server: Server): void => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.send?.({ port: address.port })
  process.on("disconnect", () => process.exit(0))
}
