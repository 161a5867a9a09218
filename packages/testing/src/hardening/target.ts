import { NodeHttpServer } from "@tollgate/server"
import { type Options, TestGateway } from "../TestGateway.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { isAll } from "@tollgate-tooling/programs/counts.ts"
import { bindings, priced } from "../models.ts"

/** Who reads the requests of a gateway. `pnpm test:all` tries each attack on both. */
export const readers: ReadonlyArray<readonly [name: string, options: Partial<NodeHttpServer.Options>]> = [
  ["the own reader", { fastReader: true }],
  ...(isAll ? [["node:http alone", { fastReader: false }] as const] : [])
]

/** The number of executed calls, and the totals of the ledger. */
export interface Totals {
  readonly executed: number
  readonly calls: number
  readonly open: number
  readonly charged: number
}

/** A complete gateway on a real port. */
export class Target extends Context.Service<
  Target,
  {
    readonly port: number
    /** The URLs of the requests that reached the gateway. */
    readonly reached: Array<string>
    readonly totals: Effect.Effect<Totals>
  }
>()("@tollgate/testing/hardening/Target") {
  static readonly layer = (
    options: Partial<NodeHttpServer.Options> = {},
    gateway: Pick<Options, "limits" | "providers"> = {}
  ): Layer.Layer<Target | TestGateway> =>
    Layer.effect(Target, make).pipe(
      Layer.provide(NodeHttpServer.layer({ port: 0, ...options })),
      Layer.orDie,
      Layer.provideMerge(TestGateway.layer({ operations: priced, bindings, sandbox: "all", ...gateway }))
    )
}

const sumsQuery = `SELECT COUNT(*) AS calls, SUM(state = 'open') AS open, SUM(charged) AS charged FROM calls WHERE owner <> ''`

const make = Effect.gen(function* () {
  const { app, billingLog, sql } = yield* TestGateway
  const reached: Array<string> = []
  const recordingApp = Effect.flatMap(HttpServerRequest, ({ url }) => {
    reached.push(url)
    return app
  })
  yield* HttpServer.serveEffect(recordingApp)
  const { address } = yield* HttpServer.HttpServer
  const totals = Effect.gen(function* () {
    const [row] = yield* Effect.orDie(sql.unsafe<Record<"calls" | "open" | "charged", number | null>>(sumsQuery))
    return {
      executed: yield* billingLog.count,
      calls: row?.calls ?? 0,
      open: row?.open ?? 0,
      charged: row?.charged ?? 0
    }
  })
  return { port: address._tag === "UnixPathAddress" ? 0 : address.port, reached, totals }
})
