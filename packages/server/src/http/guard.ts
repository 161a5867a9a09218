import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

/** Closing at once on a peer that is still sending resets the connection and takes the answer with it. */
const lingerMillis = 1000

/** The status to refuse a request with before the application sees it. */
export const refusal = (req: IncomingMessage, maxHeaderCount: number): number | undefined => {
  const raw = req.rawHeaders
  if (raw.length > 2 * maxHeaderCount) return 431
  if (req.httpVersionMajor !== 1) return 505
  if (req.url?.charCodeAt(0) !== 47) return 400
  let hosts = 0
  let credentials = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    if (name.length === 4 && name.toLowerCase() === "host" && ++hosts > 1) return 400
    // Node keeps the first and drops the rest; whoever stands between may have looked at another.
    if (name.length === 13 && name.toLowerCase() === "authorization" && ++credentials > 1) return 400
  }
  if (hosts === 0 && req.httpVersionMinor === 1) return 400
  const coding = req.headers["transfer-encoding"]
  if (coding === undefined) return undefined
  // Whoever stands between may know no chunks in HTTP/1.0, or undo another coding where we would not.
  return req.httpVersionMinor === 0 ? 400 : coding.toLowerCase() === "chunked" ? undefined : 501
}

/** Sockets whose last answer is decided, and those on which it is given: the first may still be cut off in its middle. */
const closing = new WeakSet<Duplex>()
const closed = new WeakSet<Duplex>()

/** Whether what else comes on this connection is not carried out. */
export const isClosing = (socket: Duplex): boolean => closing.has(socket)

/** To be called where an answer says `Connection: close`. */
export const willClose = ({ req }: ServerResponse): void => void closing.add(req.socket)

export const refuse = (res: ServerResponse, status: number, headers: Record<string, string> = {}): void => {
  willClose(res)
  res.writeHead(status, { connection: "close", "content-length": "0", ...headers }).flushHeaders()
  linger(res.req, () => res.end())
}

/** Throws the rest of the body away until the peer stops, leaves, or has been given its time. */
export const linger = (req: IncomingMessage, done: () => void): void => {
  closed.add(req.socket)
  if (req.complete) return done()
  const finish = () => {
    clearTimeout(timer)
    req.off("end", finish).off("close", finish)
    done()
  }
  const timer = setTimeout(finish, lingerMillis)
  req.once("end", finish).once("close", finish).removeAllListeners("data").resume()
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

/**
 * Answers bytes that did not become a request. `pending`: the answers on this socket that are not out yet, in their order.
 */
export const answerMalformed = (
  error: NodeJS.ErrnoException,
  socket: Duplex,
  pending: ReadonlyArray<ServerResponse>
): void => {
  if (closed.has(socket)) return
  if (!socket.writable || error.code === "ECONNRESET") socket.destroy()
  else answerRaw(socket, statusOf(error.code), pending)
}

/** Answers on the bare socket, after the answers to the requests that came before, and closes. */
export const answerRaw = (socket: Duplex, status: number, pending: ReadonlyArray<ServerResponse>): void => {
  if (closed.has(socket)) return
  closed.add(socket)
  closing.add(socket)
  const broken = pending.find(({ req, writableEnded }) => !req.complete && !writableEnded)
  whenClosed(
    pending.filter((res) => res !== broken),
    () => {
      if (!socket.writable) return
      if (broken?.headersSent === true) socket.destroy()
      else close(socket, status)
    }
  )
}

const whenClosed = (responses: ReadonlyArray<ServerResponse>, done: () => void): void => {
  let left = responses.length
  if (left === 0) return done()
  const one = () => {
    if (--left === 0) done()
  }
  for (const res of responses) res.once("close", one)
}

const close = (socket: Duplex, status: number): void => {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  const timer = setTimeout(() => socket.destroy(), lingerMillis)
  socket
    .once("error", () => socket.destroy())
    .once("close", () => clearTimeout(timer))
    .once("end", () => socket.destroy())
    .resume()
}
