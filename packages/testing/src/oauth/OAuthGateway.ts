import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as InProcess from "@tollgate/contract/carrier/InProcess"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import {
  AccessTokensSql,
  AccountEndpoints,
  Accounts,
  BaseUrl,
  Composition,
  EndpointGroup,
  type Gateway,
  Grants,
  Http,
  ServiceAccounts,
  ProtectedResources
} from "@tollgate/gateway"
import { offerOf } from "@tollgate/gateway/driver"
import { ReservationWait } from "@tollgate/ledger/commit/Waiting"
import { type FixedProvider, routesTo } from "@tollgate/gateway/upstream/Route"
import { BillingLog, Description, Sandbox } from "@tollgate/sandbox"
import { AuthorizationServer, NodeHttpServer, NodeSqliteClient, UpstreamCarrier } from "@tollgate/server"
import { ToolServer } from "@tollgate/tools"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { Served } from "../hostile/Served.ts"
import { nobodyWaits } from "../ledger/ledgerOn.ts"
import type { Store } from "../store/Driver.ts"
import { key } from "../TestGateway.ts"
import { hostsOf } from "./hosts.ts"
import { withoutLimits } from "../switchedOff.ts"

export interface Options {
  /** The address that callers use. Default: where it listens. */
  readonly baseUrl?: string
  /** The file of the store. Default: in memory. */
  readonly filename?: string
  /** In place of SQLite. */
  readonly store?: Store
  /** Default: on. */
  readonly oauth?: false
  readonly server?: Partial<Omit<AuthorizationServer.Options, "baseUrl">>
  /** Upstreams by operation id, over real sockets. Default: the sandbox answers `rerank`. */
  readonly providers?: Readonly<Record<string, FixedProvider>>
  readonly tools?: ToolServer.Options
  /** The ports on this machine at which these public https hosts are. */
  readonly hosts?: Readonly<Record<string, number>>
}

/** A gateway with its tools and its authorization server, on a real port and a real store. */
export class OAuthGateway extends Context.Service<
  OAuthGateway,
  {
    readonly baseUrl: string
    readonly listening: string
    /** The account of `key`. */
    readonly account: string
    readonly accounts: Accounts["Service"]
    readonly grants: Grants["Service"]
    readonly machines: ServiceAccounts["Service"]
    readonly sql: SqlClient
  }
>()("@tollgate/testing/oauth/OAuthGateway") {
  static readonly layer = (options: Options = {}): Layer.Layer<OAuthGateway> =>
    Layer.effect(OAuthGateway, make(options)).pipe(Layer.provide(services(options)), Layer.orDie)

  /** For helpers that ask a served gateway. */
  static readonly served: Layer.Layer<Served, never, OAuthGateway> = Layer.effect(
    Served,
    OAuthGateway.useSync(({ listening }) => ({ baseUrl: listening, port: Number(new URL(listening).port) }))
  )
}

/** A suite sends more from one address than people do. */
const manyRequests = { burst: 100_000, perMinute: 100_000 }
const limits = { pages: manyRequests, registrations: manyRequests, tokens: manyRequests }

const secret = Redacted.make(new Uint8Array(32).fill(7))

const definition = ({ providers }: Options): Composition.Definition => ({
  catalogue: Catalogue.make(operations, defaults),
  routes:
    providers === undefined
      ? Description.routes(defaults).filter(({ operation }) => operation === "rerank")
      : routesTo(providers)
})

const make = Effect.fnUntraced(function* (options: Options) {
  const { address } = yield* HttpServer.HttpServer
  const listening = HttpServer.formatAddress(address)
  const baseUrl = options.baseUrl ?? listening
  const accounts = yield* Accounts
  const [known] = yield* accounts.list
  const { id } = known ?? (yield* accounts.create("test"))
  yield* accounts.adoptKey(id, Redacted.make(key), "test")
  let made = (): Gateway.Gateway => {
    throw new Error("the gateway is not there yet")
  }
  const oauth =
    options.oauth === false
      ? undefined
      : yield* AuthorizationServer.make({ baseUrl, limits, offer: () => offerOf(made()), ...options.server })
  const { gateway, services } = yield* Composition.make(definition(options), withoutLimits(Composition.all())).pipe(
    Effect.provideService(ReservationWait, nobodyWaits),
    Effect.provideService(BaseUrl, baseUrl),
    Effect.provideService(ProtectedResources, oauth?.resources)
  )
  made = gateway
  const account = yield* AccountEndpoints.make(gateway).pipe(
    Effect.provideContext(Context.merge(yield* Effect.context<Accounts | Grants>(), services)),
    Effect.provideService(BaseUrl, baseUrl),
    Effect.provideService(ProtectedResources, oauth?.resources)
  )
  const tools = yield* ToolServer.make(gateway, options.tools).pipe(
    Effect.provideContext(services),
    Effect.provideService(BaseUrl, baseUrl)
  )
  const app = EndpointGroup.serve([account, tools, ...(oauth?.endpointGroups ?? [])], Http.answer(gateway))
  yield* HttpServer.serveEffect(app)
  return {
    baseUrl,
    listening,
    account: id,
    accounts,
    grants: yield* Grants,
    machines: yield* ServiceAccounts,
    sql: yield* SqlClient
  }
})

const sandbox = Layer.unwrap(
  Effect.map(Sandbox.make({ names: defaults, redirectUri: "http://gateway.invalid/back" }), (app) =>
    InProcess.layer({ origin: Description.origin, app, host: "gateway.invalid" })
  )
)

const carrier = ({ hosts = {} }: Options) =>
  sandbox.pipe(
    Layer.provideMerge(Layer.effect(Carrier, Effect.map(Carrier, hostsOf(hosts)))),
    Layer.provide(UpstreamCarrier.layer())
  )

const services = (options: Options) =>
  Layer.mergeAll(
    Composition.layerStore(secret, options.oauth === false ? undefined : AccessTokensSql.layer),
    carrier(options),
    NodeHttpServer.layer({ port: 0, shutdownDeadline: 0 })
  ).pipe(
    Layer.provideMerge(BillingLog.layerMemory()),
    Layer.provideMerge(options.store ?? NodeSqliteClient.layer({ filename: options.filename ?? ":memory:" }))
  )
