import { randomBytes } from "node:crypto"
import { IncomingMessage, ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { Incoming, Outgoing } from "./exchange.ts"

/** Lingering close: closing at once while the peer still sends resets the connection, and the response is lost. */
const lingeringCloseMillis = 1000

/** The status to refuse a request with before the application sees it; undefined if the request is fine. */
export const refusalStatus = (req: IncomingMessage, maxHeaderCount: number): number | undefined => {
  const raw = req.rawHeaders
  if (raw.length > 2 * maxHeaderCount) return 431
  if (req.httpVersionMajor !== 1) return 505
  if (req.url?.charCodeAt(0) !== 47) return 400
  let hosts = 0
  let credentials = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    if (name.length === 4 && name.toLowerCase() === "host" && ++hosts > 1) return 400
    // Node keeps the first and drops the rest; a proxy in between may have checked another one.
    if (name.length === 13 && name.toLowerCase() === "authorization" && ++credentials > 1) return 400
  }
  if (hosts === 0 && req.httpVersionMinor === 1) return 400
  const coding = req.headers["transfer-encoding"]
  if (coding === undefined) return undefined
  // A proxy in between may not know chunks in HTTP/1.0, or may decode a coding that we do not.
  return req.httpVersionMinor === 0 ? 400 : coding.toLowerCase() === "chunked" ? undefined : 501
}

/** Sockets that close after a response already chosen. */
const closing = new WeakSet<Duplex>()
/** Sockets whose last response is being sent, and must not be followed by another. */
const answered = new WeakSet<Duplex>()

/** Whether further requests on this connection are ignored. */
export const isClosing = (socket: Duplex): boolean => closing.has(socket)

/** Call this for each response that says `Connection: close`. */
export const willClose = ({ req }: Outgoing): void => void closing.add(req.socket)

/** As on every answer of the gateway. */
const common = () => ({
  "x-content-type-options": "nosniff",
  "x-request-id": `req_${randomBytes(12).toString("hex")}`
})

export const refuse = (res: Outgoing, status: number, headers: Record<string, string> = {}): void => {
  willClose(res)
  const head = { connection: "close", "content-length": "0", ...common(), ...headers }
  res.writeHead(status, STATUS_CODES[status] ?? "unknown", head)
  res.flushHeaders()
  discardBody(res.req, () => res.end())
}

/** Reads and discards the rest of the body until it ends, the peer closes, or the time for a lingering close is up. */
export const discardBody = (req: Incoming, done: () => void): void => {
  answered.add(req.socket)
  if (req.complete || !(req instanceof IncomingMessage)) return done()
  const finish = () => {
    clearTimeout(timer)
    req.off("end", finish).off("close", finish)
    done()
  }
  const timer = setTimeout(finish, lingeringCloseMillis)
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

/** Answers bytes that are not an HTTP request. `pending`: the unfinished responses on this socket, in order. */
export const answerParseError = (
  error: NodeJS.ErrnoException,
  socket: Duplex,
  pending: ReadonlyArray<Outgoing>
): void => {
  if (answered.has(socket)) return
  if (!socket.writable || error.code === "ECONNRESET") socket.destroy()
  else answerOnSocket(socket, statusOf(error.code), pending)
}

/** Node has left the socket to us: it no longer tells the responses before this one that the peer reads again, or left. */
export const refuseConnect = (socket: Duplex, pending: ReadonlyArray<Outgoing>): void => {
  socket.on("drain", () => pending.forEach((res) => res instanceof ServerResponse && res.emit("drain")))
  socket.once("close", () => pending.forEach((res) => res.destroy()))
  answerOnSocket(socket, 405, pending)
}

/** Writes a response to the bare socket, after the responses to earlier requests, and closes it. */
const answerOnSocket = (socket: Duplex, status: number, pending: ReadonlyArray<Outgoing>): void => {
  if (answered.has(socket)) return
  answered.add(socket)
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

const whenClosed = (responses: ReadonlyArray<Outgoing>, done: () => void): void => {
  let left = responses.length
  if (left === 0) return done()
  const one = () => {
    if (--left === 0) done()
  }
  for (const res of responses) res.once("close", one)
}

const close = (socket: Duplex, status: number): void => {
  const headers = { connection: "close", "content-length": "0", ...common() }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n`)
  const timer = setTimeout(() => socket.destroy(), lingeringCloseMillis)
  socket
    .once("close", () => clearTimeout(timer))
    .once("end", () => socket.destroy())
    .resume()
}
