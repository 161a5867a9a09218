import * as Catalogue from "@tollgate/contract/Catalogue"
import * as Names from "@tollgate/contract/Names"
import type { Binding, Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { linkCallback } from "@tollgate/contract/operations/linkCallback"
import {
  Accounts,
  AccountsSql,
  BaseUrl,
  Cipher,
  Http,
  HttpCarrier,
  KeptAnswersSql,
  KeyHash,
  KeysSql,
  LedgerSql,
  Limits,
  LinksSql,
  Platform,
  TasksSql,
  migrate,
  Upstreams,
  UsageSql
} from "@tollgate/gateway"
import { Models } from "@tollgate/gateway/builtin/Models"
import { carrier, platform, models, routes as sandboxRoutes } from "@tollgate/gateway/upstream/sandbox"
import type { Options as UpstreamOptions } from "@tollgate/gateway/upstream/Upstreams"
import { UpstreamCarrier, NodeSqliteClient } from "@tollgate/server"
import { Books, client, Sandbox } from "@tollgate/sandbox"
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import * as Kdf from "effect/crypto/Kdf"
import { Scope } from "effect/Scope"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"

/** Well formed, and known to every gateway made here. */
export const key = "tg_00000000000000000000000000000000s858ht0"

export interface Options {
  readonly names?: Names.Names
  readonly operations?: ReadonlyArray<Operation>
  readonly bindings?: Readonly<Record<string, Binding>>
  /** Of the store; in memory where none is named. */
  readonly filename?: string
  /** Off, so that a suite may ask as often as it likes. */
  readonly limits?: boolean
  /** Upstreams, over real sockets where they are no sandbox. */
  readonly providers?: UpstreamOptions["providers"]
  readonly routes?: UpstreamOptions["routes"]
  /** Where no upstreams are named: what the sandbox answers for, in process. `rerank` if it is not said. */
  readonly sandbox?: "rerank" | "all"
}

/** A gateway on a real SQLite store, as an app that any host can serve. */
export class TestGateway extends Context.Service<
  TestGateway,
  {
    readonly app: Effect.Effect<HttpServerResponse, never, HttpServerRequest>
    readonly books: Books["Service"]
    readonly accounts: Accounts["Service"]
    /** The account of `key`. */
    readonly account: string
    readonly sql: SqlClient
  }
>()("@tollgate/testing/TestGateway") {
  static readonly layer = (options: Options = {}): Layer.Layer<TestGateway> =>
    Layer.effect(TestGateway, make(options)).pipe(Layer.provide(services(options)), Layer.orDie)
}

const make = Effect.fnUntraced(function* (options: Options) {
  const accounts = yield* Accounts
  const [known] = yield* accounts.list
  const { id } = known ?? (yield* accounts.create("test"))
  yield* accounts.adoptKey(id, Redacted.make(key), "test")
  const app = yield* Http.make(
    Catalogue.make(options.operations ?? operations, options.names ?? Names.defaults, options.bindings)
  ).pipe(
    Effect.provideService(Models, options.sandbox === "all" ? models : []),
    Effect.provideService(BaseUrl, baseUrl)
  )
  const context = yield* Effect.context<Exclude<Effect.Services<typeof app>, HttpServerRequest>>()
  // Each request has a scope of its own.
  return {
    app: Effect.provideContext(app, Context.omit(Scope)(context) as typeof context),
    books: yield* Books,
    accounts,
    account: id,
    sql: yield* SqlClient
  }
})

const secret = Redacted.make(new Uint8Array(32).fill(7))
const baseUrl = "http://gateway.invalid"

const services = (options: Options) => {
  const names = options.names ?? Names.defaults
  const { providers, routes } = options
  const inProcess = HttpCarrier.layer.pipe(
    Layer.provide(Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox.make({ names }), client)))
  )
  const named = providers !== undefined || routes !== undefined
  const inSandbox = sandboxRoutes(names).filter(
    ({ operation }) => !named && (options.sandbox === "all" || operation === "rerank")
  )
  const everywhere = carrier(inProcess, UpstreamCarrier.layer(), new URL(baseUrl).host)
  const all = [...(routes ?? []), ...inSandbox]
  const provided = new Map(all.flatMap(({ to }) => to.map(({ provider }) => [provider.name, provider])))
  return Layer.mergeAll(
    Upstreams.layer({ providers: providers ?? {}, routes: all }).pipe(Layer.provide(everywhere)),
    Layer.provideMerge(
      TasksSql.layer({ provider: (name) => provided.get(name) }).pipe(Layer.provide(everywhere)),
      LedgerSql.layer
    ),
    UsageSql.layer,
    KeptAnswersSql.layer,
    LinksSql.layer.pipe(
      Layer.provide(everywhere),
      Layer.provide(Cipher.layer(secret)),
      Layer.provide(Layer.succeed(Platform, platform(baseUrl, Names.fill(linkCallback.path ?? "", names)))),
      Layer.provide(Layer.mergeAll(Aead.layerWebCrypto, Kdf.layerWebCrypto, Digest.layerWebCrypto))
    ),
    options.limits === true ? Limits.layerMemory : Limits.layerOff,
    Digest.layerWebCrypto,
    Layer.mergeAll(KeysSql.layer, AccountsSql.layer).pipe(
      Layer.provide(KeyHash.layer(secret)),
      Layer.provide(Mac.layerWebCrypto)
    )
  ).pipe(
    Layer.provideMerge(Books.layerMemory()),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provide(Layer.effectDiscard(migrate)),
    Layer.provideMerge(NodeSqliteClient.layer({ filename: options.filename ?? ":memory:" }))
  )
}
