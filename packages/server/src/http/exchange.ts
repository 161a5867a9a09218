import type { IncomingMessage, OutgoingHttpHeaders } from "node:http"
import type { Socket } from "node:net"

/** What the server needs of a request, whoever has read it. */
export type Incoming = Readonly<
  Pick<IncomingMessage, "method" | "url" | "headers" | "httpVersion" | "httpVersionMajor" | "httpVersionMinor"> &
    Pick<IncomingMessage, "socket" | "complete">
>

/** What the server needs to answer it. */
export interface Outgoing {
  readonly req: Incoming
  readonly socket: Socket | null
  readonly headersSent: boolean
  readonly writableEnded: boolean
  readonly writableNeedDrain: boolean
  readonly destroyed: boolean
  readonly closed: boolean
  /** Set by `writeHead`. The server writes the frames itself. */
  chunkedEncoding: boolean
  writeHead(status: number, statusText: string, headers: OutgoingHttpHeaders): unknown
  flushHeaders(): void
  write(data: string | Uint8Array): boolean
  write(data: string, encoding: "latin1"): boolean
  end(): unknown
  end(data: string | Uint8Array): unknown
  end(data: string, encoding: "latin1"): unknown
  cork(): void
  uncork(): void
  destroy(): unknown
  once(event: "close" | "drain", listener: () => void): this
  off(event: "close" | "drain", listener: () => void): this
}
