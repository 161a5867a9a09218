import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline } from "node:stream"
import { setTimeout } from "node:timers/promises"

type Headers = Readonly<Record<string, string>>

/** What one attempt meets on its way. */
export interface Turn {
  /** Set on the request. */
  readonly asks?: Headers
  /** Set on the answer. */
  readonly answers?: () => Headers
  /** Said in the gateway's place, which sees nothing. */
  readonly instead?: { readonly type: string; readonly body: string }
  /**
   * `unseen`: the gateway sees nothing either. `unanswered`: it has answered, and not a byte of that is let through.
   * `halfway`: half of the answer is.
   */
  readonly reset?: "unseen" | "unanswered" | "halfway"
  /** No reset: nothing more comes, and the connection stays. */
  readonly silent?: "unanswered" | "halfway"
}

const collect = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The bytes that went before a reset are lost with it where they were not read yet. */
const readMillis = 50

const relayed = async (turn: Turn, answer: IncomingMessage, res: ServerResponse): Promise<void> => {
  const { "transfer-encoding": _, connection: __, ...headers } = { ...answer.headers, ...turn.answers?.() }
  if (/event-stream/.test(answer.headers["content-type"] ?? "")) {
    res.writeHead(answer.statusCode ?? 0, headers)
    pipeline(answer, res, () => {})
    return
  }
  const body = await collect(answer)
  if (turn.silent === "unanswered") return
  if (turn.reset === "unanswered") {
    res.socket?.resetAndDestroy()
    return
  }
  res.writeHead(answer.statusCode ?? 0, { ...headers, "content-length": body.length })
  if (turn.silent === undefined && turn.reset === undefined) {
    res.end(body)
    return
  }
  res.write(body.subarray(0, body.length / 2))
  if (turn.silent === "halfway") return
  await setTimeout(readMillis)
  res.socket?.resetAndDestroy()
}

/** Stands between a client and the gateway at `baseUrl`. The first attempt meets the turn; all is well after it. */
export const relay = (baseUrl: string, first: Turn) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const attempts: Array<number> = []
      const server = createServer(async (req, res) => {
        const turn = attempts.push(performance.now()) === 1 ? first : {}
        if (turn.reset === "unseen") {
          req.socket.resetAndDestroy()
          return
        }
        const body = await collect(req)
        if (turn.instead !== undefined) {
          res.writeHead(200, { "content-type": turn.instead.type }).end(turn.instead.body)
          return
        }
        const { connection: _, ...headers } = { ...req.headers, ...turn.asks }
        const onward = request(new URL(req.url ?? "/", baseUrl), { method: req.method ?? "", headers, agent: false })
        onward.on("response", (answer) => void relayed(turn, answer, res).catch(() => res.destroy()))
        onward.on("error", () => res.destroy())
        res.on("close", () => onward.destroy())
        onward.end(body)
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      return { server, attempts, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
