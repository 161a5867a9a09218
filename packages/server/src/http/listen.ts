import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as NetAddress from "effect/net/NetAddress"
import type { Server } from "node:http"

export class ListenError extends Data.TaggedError("ListenError")<{
  readonly code: string
  readonly host: string
  readonly port: number
  readonly cause: unknown
}> {
  override get message(): string {
    const why =
      this.code === "EADDRINUSE"
        ? "the port is in use"
        : this.code === "EACCES"
          ? "permission denied"
          : "the address cannot be used"
    return `cannot listen on ${NetAddress.formatUrlHostString(this.host)}:${this.port}: ${why} (${this.code})`
  }
}

export const listen = (
  server: Server,
  host: string,
  port: number
): Effect.Effect<NetAddress.SocketAddress, ListenError> =>
  Effect.callback((resume) => {
    const failed = (cause: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ListenError({ code: cause.code ?? "UNKNOWN", host, port, cause })))
    server.once("error", failed)
    const listening = () => {
      server.off("error", failed)
      server.on("error", () => {})
      const address = server.address()
      resume(
        Effect.succeed(
          address === null || typeof address === "string"
            ? NetAddress.unixPathAddress(address ?? "")
            : NetAddress.inetAddressFromNativeUnsafe(address.address, address.port)
        )
      )
    }
    try {
      server.listen({ host, port }, listening)
    } catch (cause) {
      resume(Effect.fail(new ListenError({ code: "ERR_SOCKET_BAD_PORT", host, port, cause })))
    }
  })
