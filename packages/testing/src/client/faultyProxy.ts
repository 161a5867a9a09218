import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request on its way to the gateway. */
export interface Passing {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Sends it to the gateway, without these headers. */
  readonly send: (without?: ReadonlyArray<string>) => Promise<IncomingMessage>
}

/** What the proxy does with a request of a call. */
export type ProxyFault = (passing: Passing) => unknown

export const readAll = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Passes the answer on. */
export const pass = (answer: IncomingMessage, { res }: Passing): void => {
  res.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
  answer.on("error", () => res.destroy()).pipe(res)
}

/** Asks for a price, or for what became of a call: no call itself. */
const isAside = ({ headers }: IncomingMessage): boolean =>
  headers["x-tollgate-cost-mode"] !== undefined || /charge|cancel/.test(String(headers["x-tollgate-idempotency-mode"]))

/**
 * A proxy before the gateway at `baseUrl`, with an address for each name. `faultOf` is asked for every request of a call, which has
 * its number of those under that name; without a fault it passes.
 */
export const faultyProxy = (baseUrl: string, faultOf: (name: string, nth: number) => ProxyFault | undefined) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen = new Map<string, number>()
      const server = createServer((req, res) => {
        const [, name = "", path = ""] = /^\/([^/]+)(.*)$/.exec(req.url ?? "") ?? []
        const body = readAll(req)
        const passing: Passing = {
          req,
          res,
          send: async (without = []) => {
            const bytes = await body
            const headers = Object.fromEntries(Object.entries(req.headers).filter(([name]) => !without.includes(name)))
            const sent = request(new URL(path, baseUrl), { method: req.method ?? "", headers, agent: false })
            res.on("close", () => sent.destroy())
            return new Promise((resolve, reject) => sent.on("response", resolve).on("error", reject).end(bytes))
          }
        }
        const nth = seen.get(name) ?? 0
        if (!isAside(req)) seen.set(name, nth + 1)
        const fault = isAside(req) ? undefined : faultOf(name, nth)
        const passed = async () => (fault ?? ((one) => one.send().then((answer) => pass(answer, one))))(passing)
        body.then(passed).catch(() => res.destroy())
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      const { port } = server.address() as AddressInfo
      return { server, seen, addressOf: (name: string) => `http://127.0.0.1:${port}/${name}` }
    }),
    ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
