import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { HttpServer, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { connect, createServer, type Server, type Socket } from "node:net"
import { NodeHttpServer } from "../src/index.ts"

type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** Serves an application until the scope closes. Returns the port. */
export const serveWith = (common: Partial<NodeHttpServer.Options>) =>
  Effect.fnUntraced(function* (app: App, options: Partial<NodeHttpServer.Options> = {}) {
    const context = yield* Layer.build(
      HttpServer.serve(app).pipe(Layer.provideMerge(NodeHttpServer.layer({ port: 0, ...common, ...options })))
    )
    const { address } = Context.get(context, HttpServer.HttpServer)
    return address._tag === "UnixPathAddress" ? 0 : address.port
  })

export const serve = serveWith({})

export interface Wire {
  readonly socket: Socket
  readonly received: () => string
  readonly closed: Promise<void>
  readonly send: (text: string | Uint8Array) => void
  /** Resolves when the text received so far satisfies the predicate, or the peer has closed. */
  readonly until: (predicate: (text: string) => boolean) => Effect.Effect<string>
  readonly end: Effect.Effect<string>
}

/** A bare client connection: it sends exactly the bytes that the test gives it. */
export const wire = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Wire>((resolve, reject) => {
          const socket = connect(port, "127.0.0.1")
          const chunks: Array<Buffer> = []
          const text = () => Buffer.concat(chunks).toString("latin1")
          const closed = new Promise<void>((done) => socket.once("close", () => done()))
          socket.on("data", (chunk) => chunks.push(chunk)).on("error", reject)
          socket.once("connect", () =>
            resolve({
              socket,
              received: text,
              closed,
              send: (data) => void socket.write(data),
              until: (predicate) =>
                Effect.promise(
                  () =>
                    new Promise<string>((done) => {
                      const check = () => {
                        if (predicate(text()) || socket.closed) done(text())
                      }
                      socket.on("data", check).on("close", check)
                      check()
                    })
                ),
              end: Effect.promise(() => closed.then(text))
            })
          )
        })
    ),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

/** A TCP server that passes each connection to the test. */
export const tcpServer = (onSocket: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly server: Server; readonly port: number; readonly sockets: Set<Socket> }>((resolve) => {
          const sockets = new Set<Socket>()
          const server = createServer((socket) => {
            sockets.add(socket)
            socket.on("error", () => {}).once("close", () => sockets.delete(socket))
            onSocket(socket)
          })
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resolve({ server, sockets, port: typeof address === "object" && address !== null ? address.port : 0 })
          })
        })
    ),
    ({ server, sockets }) =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  )

export const statusLine = (text: string): string => text.slice(0, text.indexOf("\r\n"))

/** Waits for it. The limit bounds only a failure, so it is long enough for a busy machine. */
export const eventually = (predicate: () => boolean): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    const end = Date.now() + 240_000
    while (!predicate() && Date.now() < end) await new Promise((next) => setTimeout(next, 5))
    return predicate()
  })
