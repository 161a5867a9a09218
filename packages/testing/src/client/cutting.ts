import * as Effect from "effect/Effect"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

/** How many bytes pass of the body of an answer, a character each, before both connections break. */
export type Cut = (body: string) => number

/** Lets so many events pass, and so many bytes of the next one. */
export const after =
  (events: number, bytes = 0): Cut =>
  (body) => {
    let at = 0
    for (let i = 0; i < events; i++) {
      const end = body.indexOf("\n\n", at)
      if (end === -1) return Infinity
      at = end + 2
    }
    return at + bytes
  }

/**
 * A proxy before the gateway at `baseUrl`, or before several, which get the requests in turn. `cut` is asked for each answer that
 * streams, with what has arrived so far.
 */
export const cutting = (baseUrl: string | ReadonlyArray<string>, cut: (nth: number) => Cut | undefined) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const gateways = [baseUrl].flat()
      const seen: Array<string | undefined> = []
      const server = createServer((req, res) => {
        const isStream = req.headers["x-tollgate-resumable"] !== undefined
        const target = new URL(gateways[seen.length % gateways.length] ?? "")
        const mayPass = isStream ? cut(seen.length) : undefined
        if (isStream) seen.push(req.headers["last-event-id"] as string | undefined)
        const { headers, method, url: path } = req
        const options = { host: target.hostname, port: target.port, path, method, headers, agent: false }
        const forwarded = request(options, (answer) => {
          res.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
          let body = Buffer.alloc(0)
          let sent = 0
          answer.on("data", (chunk: Buffer) => {
            body = Buffer.concat([body, chunk])
            const end = mayPass?.(body.toString("latin1")) ?? Infinity
            res.write(body.subarray(sent, Math.min(end, body.length)))
            sent = Math.min(end, body.length)
            if (end >= body.length) return
            // What was written must arrive.
            setImmediate(() => {
              res.socket?.destroySoon()
              forwarded.destroy()
            })
          })
          answer.on("end", () => res.end()).on("error", () => res.destroy())
        })
        forwarded.on("error", () => res.destroy())
        res.on("close", () => forwarded.destroy())
        req.pipe(forwarded)
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      return { server, seen, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
