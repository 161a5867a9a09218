import * as Effect from "effect/Effect"
import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * What becomes of an answer. `lost`: the proxy takes all of it, and the caller gets nothing. `cut`: both connections break when
 * its head arrives.
 */
export type Fate = "passed" | "lost" | "cut"

const byteStream = async (answer: IncomingMessage, res: ServerResponse, fate: Fate) => {
  if (fate === "cut") {
    answer.destroy()
    return void res.destroy()
  }
  if (fate === "passed") {
    res.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
    answer.pipe(res)
    return
  }
  for await (const _ of answer);
  res.destroy()
}

/** A proxy that forwards requests to these gateways in turn, and decides the fate of their answers in order. */
export const droppingProxy = (ports: ReadonlyArray<number>, fates: ReadonlyArray<Fate>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const counts: Array<string | undefined> = []
      const statuses: Array<number | undefined> = []
      const replayed: Array<boolean> = []
      const server = createServer((req, res) => {
        const at = counts.length
        counts.push(req.headers["x-stainless-retry-count"] as string | undefined)
        const forwarded = send(
          {
            host: "127.0.0.1",
            port: ports[at % ports.length],
            path: req.url,
            method: req.method,
            headers: req.headers,
            agent: false
          },
          (answer) => {
            statuses[at] = answer.statusCode
            replayed[at] = answer.headers["idempotent-replayed"] === "true"
            void byteStream(answer, res, fates[at] ?? "passed")
          }
        )
        forwarded.on("error", () => res.destroy())
        req.pipe(forwarded)
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      const { port } = server.address() as AddressInfo
      return { server, baseUrl: `http://127.0.0.1:${port}`, counts, statuses, replayed }
    }),
    ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
