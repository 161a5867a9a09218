import { connect } from "node:net"
import { key, path, question } from "./question.ts"

export interface Measured {
  readonly answered: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
}

/** A request as it goes over the wire. */
export const post = (path: string, body: string, headers: ReadonlyArray<string> = []): Buffer =>
  Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      "host: 127.0.0.1",
      `authorization: Bearer ${key}`,
      "content-type: application/json",
      ...headers,
      `content-length: ${Buffer.byteLength(body)}`,
      "",
      body
    ].join("\r\n")
  )

const rerank = post(path, question)

const quantile = (sorted: ReadonlyArray<number>, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0

/** Whether the body after the head that ends at `end` has arrived. A stream ends with an empty chunk. */
const isWhole = (text: string, end: number): boolean => {
  const length = /content-length: *(\d+)/i.exec(text.slice(0, end))?.[1]
  return length === undefined ? text.endsWith("\r\n0\r\n\r\n") : text.length >= end + 4 + Number(length)
}

/** Sends the request over `connections` sockets, one at a time on each, and at most once per `everyMillis`. */
export const load = (
  port: number,
  connections: number,
  millis: number,
  request: Buffer = rerank,
  everyMillis = 0
): Promise<Measured> =>
  new Promise((resolve, reject) => {
    const took: Array<number> = []
    let failed = 0
    let open = connections
    const begun = performance.now()
    const ends = begun + millis

    const done = () => {
      if (--open > 0) return
      const seconds = (performance.now() - begun) / 1000
      took.sort((a, b) => a - b)
      resolve({
        answered: took.length,
        perSecond: took.length / seconds,
        p50: quantile(took, 0.5),
        p99: quantile(took, 0.99),
        failed
      })
    }

    for (let i = 0; i < connections; i++) {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true })
      let sent = 0
      let pending = ""
      const ask = () => {
        if (performance.now() >= ends) {
          socket.destroy()
          done()
          return
        }
        sent = performance.now()
        socket.write(request)
      }
      // Spread over the interval.
      socket.on("connect", () => (everyMillis === 0 ? ask() : setTimeout(ask, (everyMillis * i) / connections)))
      socket.on("error", reject)
      socket.on("data", (chunk) => {
        pending += chunk.toString("latin1")
        const end = pending.indexOf("\r\n\r\n")
        if (end === -1) return
        if (!isWhole(pending, end)) return
        if (pending.startsWith("HTTP/1.1 200")) took.push(performance.now() - sent)
        else failed++
        pending = ""
        if (everyMillis === 0) ask()
        else setTimeout(ask, Math.max(0, sent + everyMillis - performance.now()))
      })
    }
  })
