import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import type { Decoded } from "@tollgate/gateway/exchange/Exchange"
import * as Router from "@tollgate/gateway/call/router/Router"
import { accept } from "@tollgate/gateway/call/steps/01-accept"
import { type Provider, providerDefaults } from "@tollgate/gateway/upstream/Provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer, type AddressInfo, type Server, type Socket } from "node:net"

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly raw: string
  readonly body: string
}

type Answer = (res: ServerResponse, received: Received) => void

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))

/** An HTTP upstream that records its requests. */
export const httpUpstream = (answer: Answer) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Received> = []
      const server = createHttpServer((req, res) => {
        const chunks: Array<Buffer> = []
        req
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () => {
            const body = Buffer.concat(chunks).toString()
            const request = {
              method: req.method ?? "",
              url: req.url ?? "",
              headers: req.headers,
              raw: `${req.method} ${req.url}\n${req.rawHeaders.join("\n")}`,
              body
            }
            received.push(request)
            answer(res, request)
          })
      })
      return { server, received, port: await listen(server) }
    }),
    ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )

/** A TCP upstream. */
export const tcpUpstream = (onSocket: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => {}).once("close", () => sockets.delete(socket))
        onSocket(socket)
      })
      return { server, sockets, port: await listen(server) }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  )

/** A port without a listener. */
export const closedPort = Effect.promise(async () => {
  const server = createServer()
  const port = await listen(server)
  await new Promise((done) => server.close(done))
  return port
})

export const providerCredential = "Bearer upstream-own-credential-0123456789"

export const providerAt = (port: number, deadlineMillis = 10_000): Provider => ({
  name: "test",
  baseUrl: `http://127.0.0.1:${port}`,
  protocol: "json",
  credential: { header: "Authorization", value: Redacted.make(providerCredential) },
  headers: {},
  deadlineMillis,
  idleMillis: deadlineMillis,
  ...providerDefaults,
  private: true,
  forwardedHeaders: [],
  breaker: true
})

const router = Router.make(Catalogue.make(operations, defaults).bound)

/** A rerank call at the upstream step. */
export const exchange = (linkedUserHeaders?: Decoded["linkedUserHeaders"]): Decoded => {
  const request = { method: "POST", url: "/v1/rerank", headers: {}, readBody: () => Effect.succeed(new Uint8Array(0)) }
  const { match, ...accepted } = accept(router, request, "req_1", 0)
  const operation = match?.operations.get("POST")
  if (match === undefined || operation === undefined) throw new Error("no rerank")
  return {
    ...accepted,
    match,
    operation,
    wantsQuote: false,
    principal: undefined,
    input: { path: {}, query: {}, body: {} },
    model: undefined,
    bytes: new Uint8Array(0),
    ...(linkedUserHeaders === undefined ? {} : { linkedUserHeaders })
  }
}
