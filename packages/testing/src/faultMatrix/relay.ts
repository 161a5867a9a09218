import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline } from "node:stream"
import { setTimeout } from "node:timers/promises"

type Headers = Readonly<Record<string, string>>

/** What the relay changes in one attempt. */
export interface FaultInjection {
  /** Set on the request. */
  readonly requestHeaders?: Headers
  /** Set on the answer. */
  readonly answerHeaders?: () => Headers
  /** Answered by the relay; the gateway does not see the request. */
  readonly instead?: { readonly type: string; readonly body: string }
  /** Before the gateway sees the request, after it answered (nothing is passed on), or after half of the answer. */
  readonly reset?: "unseen" | "unanswered" | "halfway"
  /** Sends nothing more and keeps the connection open. */
  readonly stall?: "unanswered" | "halfway"
}

const readAll = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A reset discards bytes that the client has not read yet, so it waits this long. */
const readMillis = 50

const relayAnswer = async (inject: FaultInjection, answer: IncomingMessage, res: ServerResponse): Promise<void> => {
  const { "transfer-encoding": _, connection: __, ...headers } = { ...answer.headers, ...inject.answerHeaders?.() }
  if (/event-stream/.test(answer.headers["content-type"] ?? "")) {
    res.writeHead(answer.statusCode ?? 0, headers)
    pipeline(answer, res, () => {})
    return
  }
  const body = await readAll(answer)
  if (inject.stall === "unanswered") return
  if (inject.reset === "unanswered") {
    res.socket?.resetAndDestroy()
    return
  }
  res.writeHead(answer.statusCode ?? 0, { ...headers, "content-length": body.length })
  if (inject.stall === undefined && inject.reset === undefined) {
    res.end(body)
    return
  }
  res.write(body.subarray(0, body.length / 2))
  if (inject.stall === "halfway") return
  await setTimeout(readMillis)
  res.socket?.resetAndDestroy()
}

/** A proxy before the gateway at `baseUrl`. It injects the fault into the first attempt only. */
export const relay = (baseUrl: string, first: FaultInjection) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const attempts: Array<number> = []
      const server = createServer(async (req, res) => {
        const inject = attempts.push(performance.now()) === 1 ? first : {}
        if (inject.reset === "unseen") {
          req.socket.resetAndDestroy()
          return
        }
        const body = await readAll(req)
        if (inject.instead !== undefined) {
          res.writeHead(200, { "content-type": inject.instead.type }).end(inject.instead.body)
          return
        }
        const { connection: _, ...headers } = { ...req.headers, ...inject.requestHeaders }
        const upstreamRequest = request(new URL(req.url ?? "/", baseUrl), {
          method: req.method ?? "",
          headers,
          agent: false
        })
        upstreamRequest.on("response", (answer) => void relayAnswer(inject, answer, res).catch(() => res.destroy()))
        upstreamRequest.on("error", () => res.destroy())
        res.on("close", () => upstreamRequest.destroy())
        upstreamRequest.end(body)
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      return { server, attempts, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
