import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { type Document, documentOf } from "./Document.ts"
import type { Exchange } from "./Exchange.ts"
import { type Judge, judgeBy } from "./judge.ts"

/** A request with this header makes the upstream answer something of its own. The gateway does not get the header. */
export const fromUpstream = "x-from-upstream"

export interface Judged {
  readonly exchange: Exchange
  /** None: request and answer fit the document. */
  readonly problems: ReadonlyArray<string>
}

export interface ValidatingProxy {
  readonly baseUrl: string
  readonly document: Document
  readonly judged: ReadonlyArray<Judged>
}

/** A line for each exchange that does not fit. */
export const misfitsIn = (judged: ReadonlyArray<Judged>): ReadonlyArray<string> =>
  judged.flatMap(({ exchange: { body, method, status, url }, problems }) =>
    problems.length === 0
      ? []
      : [`${method} ${url} ${status}: ${problems.join("; ")}\n  ${new TextDecoder().decode(body).slice(0, 300)}`]
  )

const plain = (headers: IncomingMessage["headers"]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const collect = (message: IncomingMessage, onChunk: (chunk: Buffer) => void): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    message.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      onChunk(chunk)
    })
    message.once("end", () => resolve(Buffer.concat(chunks)))
    message.once("error", reject)
  })

/** Documents of the gateway are compressed for callers that accept it. */
const decoded = (body: Buffer, coding: string | undefined): Buffer => {
  if (body.length === 0) return body
  return coding === "br" ? brotliDecompressSync(body) : coding === "gzip" ? gunzipSync(body) : body
}

const relay = async (
  gateway: string,
  judge: Judge,
  judged: Array<Judged>,
  req: IncomingMessage,
  res: ServerResponse
) => {
  const requestBody = await collect(req, () => {})
  const { [fromUpstream]: flag, ...headers } = req.headers
  const { method = "", url = "" } = req
  const asked = request(gateway + url, { method, agent: false, headers: { ...headers, host: new URL(gateway).host } })
  asked.on("error", () => res.destroy())
  asked.on("response", (answer) => {
    res.writeHead(answer.statusCode ?? 0, answer.headers)
    void collect(answer, (chunk) => res.write(chunk)).then(
      (body) => {
        const exchange: Exchange = {
          method,
          url,
          requestHeaders: plain(headers),
          requestBody,
          status: answer.statusCode ?? 0,
          headers: plain(answer.headers),
          body: decoded(body, answer.headers["content-encoding"]),
          fromUpstream: flag !== undefined
        }
        judged.push({ exchange, problems: judge(exchange) })
        res.end()
      },
      () => res.destroy()
    )
  })
  asked.end(requestBody)
}

/** Stands between a caller and a gateway, and checks all that passes against the document that the gateway serves. */
export const validatingProxy = (gateway: string): Effect.Effect<ValidatingProxy, never, Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const document = await documentOf(gateway)
        const judge = judgeBy(document)
        const judged: Array<Judged> = []
        const server = createServer((req, res) => void relay(gateway, judge, judged, req, res))
        await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
        return { server, document, judged }
      }),
      ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
    ),
    ({ document, judged, server }) => ({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      document,
      judged
    })
  )
