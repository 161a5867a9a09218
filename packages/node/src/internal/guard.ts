import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

const lingerMillis = 500

/** The status to refuse a request with before the application sees it. */
export const refusal = (req: IncomingMessage, maxHeaderCount: number): number | undefined => {
  const raw = req.rawHeaders
  if (raw.length > 2 * maxHeaderCount) return 431
  if (req.url?.charCodeAt(0) !== 47) return 400
  let hosts = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    if (name.length === 4 && name.toLowerCase() === "host" && ++hosts > 1) return 400
  }
  return undefined
}

export const refuse = (res: ServerResponse, status: number, headers: Record<string, string> = {}): void => {
  res.writeHead(status, { connection: "close", "content-length": "0", ...headers }).end()
}

const statusOf = (code: string | undefined): number => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return 431
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return 413
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408
    default:
      return 400
  }
}

const answered = new WeakSet<Duplex>()

/** Answers bytes that did not become a request, on the bare socket, unless an answer has already begun on it. */
export const answerMalformed = (error: NodeJS.ErrnoException, socket: Duplex, begun: boolean): void => {
  if (answered.has(socket)) return
  if (begun || !socket.writable || error.code === "ECONNRESET") {
    socket.destroy()
    return
  }
  answerRaw(socket, statusOf(error.code))
}

/** The peer may still be sending; what it sends is read and dropped for a moment so that it gets to see the answer. */
export const answerRaw = (socket: Duplex, status: number): void => {
  answered.add(socket)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  const timer = setTimeout(() => socket.destroy(), lingerMillis)
  socket
    .once("error", () => socket.destroy())
    .once("close", () => clearTimeout(timer))
    .once("end", () => socket.destroy())
    .resume()
}
