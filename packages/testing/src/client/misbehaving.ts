import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, request, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/** The gateway's whole answer. */
export interface Arrived {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** What the caller gets on the wire instead of the answer. After it the connection ends, or is reset if there is nothing. */
export type Misbehaviour = (arrived: Arrived) => Buffer | string

/** The bytes of an answer's head. */
export const headOf = (status: number, headers: Readonly<Record<string, string | number>>): string =>
  [
    `HTTP/1.1 ${status} Some Reason`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    ""
  ].join("\r\n")

const arrivedOf = async (answer: IncomingMessage): Promise<Arrived> => {
  const body: Array<Buffer> = []
  for await (const chunk of answer) body.push(chunk as Buffer)
  const { connection: _, "content-length": __, "transfer-encoding": ___, ...headers } = answer.headers
  return {
    status: answer.statusCode ?? 0,
    headers: headers as Readonly<Record<string, string>>,
    body: Buffer.concat(body)
  }
}

/**
 * A proxy before the gateway at `baseUrl`. `next` decides the fate of the next request: the gateway answers it in full, and
 * the caller gets what the misbehaviour makes of the answer. `"unseen"`: the gateway does not get it. All others pass.
 */
export const misbehaving = (baseUrl: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const state: { next: Misbehaviour | "unseen" | undefined } = { next: undefined }
        const relay: RequestListener = (req, res) => {
          const { next } = state
          state.next = undefined
          if (next === "unseen") return void req.resume().on("end", () => req.socket.resetAndDestroy())
          const sent = request(new URL(req.url ?? "/", baseUrl), {
            method: req.method ?? "",
            headers: req.headers,
            agent: false
          })
          sent.on("error", () => res.destroy())
          sent.on("response", (answer) => {
            if (next === undefined) {
              res.writeHead(answer.statusCode ?? 0, answer.headers)
              return void answer.pipe(res)
            }
            void arrivedOf(answer).then((arrived) => {
              const bytes = next(arrived)
              return bytes.length === 0 ? req.socket.resetAndDestroy() : req.socket.end(bytes)
            })
          })
          req.pipe(sent)
        }
        const server = createServer(relay)
        await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
        return { server, state }
      }),
      ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
    ),
    ({ server, state }) => ({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      next: (misbehaviour: Misbehaviour | "unseen"): void => {
        state.next = misbehaviour
      }
    })
  )
