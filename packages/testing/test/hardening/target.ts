import { NodeHttpServer } from "@tollgate/node"
import { key, TestGateway } from "@tollgate/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { bindings, priced } from "../models.ts"
import { wire } from "./wire.ts"

/** A whole gateway on a real port, and what became of the requests that were sent to it. */
export class Target extends Context.Service<
  Target,
  {
    readonly port: number
    /** The requests that came as far as the gateway's path: method and address. */
    readonly reached: Array<string>
    /** What an upstream has done, and what is in the ledger. */
    readonly done: Effect.Effect<Done>
  }
>()("@tollgate/testing/hardening/Target") {
  static readonly layer = (
    options: Partial<NodeHttpServer.Options> = {},
    gateway: { readonly limits?: boolean } = {}
  ): Layer.Layer<Target | TestGateway> =>
    Layer.effect(Target, make).pipe(
      Layer.provide(NodeHttpServer.layer({ port: 0, ...options })),
      Layer.orDie,
      Layer.provideMerge(TestGateway.layer({ operations: priced, bindings, sandbox: "all", ...gateway }))
    )
}

interface Done {
  readonly upstream: number
  readonly calls: number
  readonly charged: number
  readonly open: number
  readonly promised: number
}

const sums = `SELECT COUNT(*) AS calls, COALESCE(SUM(charged), 0) AS charged,
  COALESCE(SUM(state = 'open'), 0) AS open, (SELECT reserved FROM accounts) AS promised FROM calls`

const make = Effect.gen(function* () {
  const { app, books, sql } = yield* TestGateway
  const reached: Array<string> = []
  const counted = Effect.flatMap(HttpServerRequest, ({ method, url }) => {
    reached.push(`${method} ${url}`)
    return app
  })
  yield* HttpServer.serveEffect(counted)
  const { address } = yield* HttpServer.HttpServer
  return {
    port: address._tag === "UnixPathAddress" ? 0 : address.port,
    reached,
    done: Effect.gen(function* () {
      const [row] = yield* Effect.orDie(sql.unsafe<Omit<Done, "upstream">>(sums))
      return { upstream: yield* books.count, calls: 0, charged: 0, open: 0, promised: 0, ...row }
    })
  }
})

const question = JSON.stringify({ query: "q", documents: ["a", "b"] })

/** A request with a credential and a host. Its length is told where it has a body and nothing else is said. */
export const request = (start: string, headers: ReadonlyArray<string> = [], body = ""): string =>
  [
    `${start} HTTP/1.1`,
    "Host: gateway",
    `Authorization: Bearer ${key}`,
    ...headers,
    ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body, "latin1")}`]),
    "",
    body
  ].join("\r\n")

export const rerank = (headers: ReadonlyArray<string> = [], body = question): string =>
  request("POST /v1/rerank", headers, body)

/** A good request on a connection of its own is carried out as if nothing had been. */
export const works = Effect.gen(function* () {
  const { done, port } = yield* Target
  const before = yield* done
  const client = yield* wire(port)
  client.send(rerank(["Connection: close"]))
  const [answer] = yield* client.closed
  const after = yield* done
  return (
    answer?.status === 200 &&
    after.upstream === before.upstream + 1 &&
    after.calls === before.calls + 1 &&
    after.open === before.open &&
    after.promised === before.promised
  )
}).pipe(Effect.scoped)
