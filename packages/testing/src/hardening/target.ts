import { NodeHttpServer } from "@tollgate/server"
import { TestGateway } from "../TestGateway.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { bindings, priced } from "../models.ts"

/** What upstreams have done, and what the ledger says of it. */
export interface Done {
  readonly worked: number
  readonly calls: number
  readonly open: number
  readonly charged: number
}

/** A whole gateway on a real port. */
export class Target extends Context.Service<
  Target,
  {
    readonly port: number
    /** The addresses of the requests that came as far as the gateway. */
    readonly reached: Array<string>
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

const sums = `SELECT COUNT(*) AS calls, SUM(state = 'open') AS open, SUM(charged) AS charged FROM calls`

const make = Effect.gen(function* () {
  const { app, billingLog, sql } = yield* TestGateway
  const reached: Array<string> = []
  const counted = Effect.flatMap(HttpServerRequest, ({ url }) => {
    reached.push(url)
    return app
  })
  yield* HttpServer.serveEffect(counted)
  const { address } = yield* HttpServer.HttpServer
  const done = Effect.gen(function* () {
    const [row] = yield* Effect.orDie(sql.unsafe<Record<"calls" | "open" | "charged", number | null>>(sums))
    return {
      worked: yield* billingLog.count,
      calls: row?.calls ?? 0,
      open: row?.open ?? 0,
      charged: row?.charged ?? 0
    }
  })
  return { port: address._tag === "UnixPathAddress" ? 0 : address.port, reached, done }
})
