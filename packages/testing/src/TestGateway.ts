import * as InProcess from "@tollgate/contract/carrier/InProcess"
import * as Catalogue from "@tollgate/contract/Catalogue"
import * as Names from "@tollgate/contract/Names"
import type { Binding, Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { linkCallback } from "@tollgate/contract/operations/linkCallback"
import {
  AccountEndpoints,
  Accounts,
  BaseUrl,
  ClientGrants,
  Composition,
  Docs,
  EndpointGroup,
  FleetSql,
  type Grants,
  Http,
  ProtectedResources,
  resourceMetadata,
  resourcesAt
} from "@tollgate/gateway"
import type { LimitStore } from "@tollgate/gateway/driver"
import { SlotWait } from "@tollgate/gateway/call/steps/04-admission"
import { type FixedProvider, type Route, routesTo } from "@tollgate/gateway/upstream/Route"
import { OnStopping, ReservationWait } from "@tollgate/ledger/commit/Waiting"
import { BillingLog, Description, Sandbox } from "@tollgate/sandbox"
import {
  ExternalIssuer,
  type IssuerSettings,
  NodeCompression,
  NodeDigest,
  NodeSqliteClient,
  UpstreamCarrier
} from "@tollgate/server"
import { ToolServer } from "@tollgate/tools"
import { PostgresClient, PostgresNotices } from "@tollgate/server/postgres"
import { guideFiles } from "./docs/guideFiles.ts"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { withoutLimits } from "./switchedOff.ts"

/** A valid API key of every test gateway. */
export const key = "tg_00000000000000000000000000000000s858ht0"

export interface Options {
  readonly names?: Names.Names
  readonly operations?: ReadonlyArray<Operation>
  readonly bindings?: Readonly<Record<string, Binding>>
  /** The file of the store. Default: in memory. */
  readonly filename?: string
  /** The address of a PostgreSQL database, which several gateways may share. Default: a file, or memory. */
  readonly database?: Redacted.Redacted
  /** Default: off, so that a suite can send any number of requests. */
  readonly limits?: boolean
  /** Where limits are counted, if several gateways share them. Default: in memory. */
  readonly limitStore?: Layer.Layer<LimitStore, unknown> | undefined
  /** How long calls wait for a place of their key. Default: not at all. */
  readonly slotWaitMillis?: number
  /** How long calls wait for money that others have reserved. Default: not at all. */
  readonly waitMillis?: number
  /** Is given what to run when the gateway begins to stop. */
  readonly onStopping?: (run: () => void) => void
  /** Upstreams by operation id, over real sockets. */
  readonly providers?: Readonly<Record<string, FixedProvider>>
  readonly routes?: ReadonlyArray<Route>
  /** The operations that the in-process sandbox answers if no upstreams are set. Default: `rerank`. */
  readonly sandbox?: "rerank" | "all"
  readonly tools?: ToolServer.Options
  readonly accountEndpoints?: AccountEndpoints.Options
  /** An external issuer, whose access tokens are credentials. Default: none. */
  readonly issuer?: IssuerSettings
}

/** A gateway on a real SQLite store, as an app that any host can serve. */
export class TestGateway extends Context.Service<
  TestGateway,
  {
    readonly app: Http.App
    readonly billingLog: BillingLog["Service"]
    readonly accounts: Accounts["Service"]
    /** The account of `key`. */
    readonly account: string
    readonly sql: SqlClient
    readonly upstreamConnections: UpstreamCarrier.UpstreamConnections["Service"]
  }
>()("@tollgate/testing/TestGateway") {
  static readonly layer = (options: Options = {}): Layer.Layer<TestGateway> =>
    Layer.effect(TestGateway, make(options)).pipe(Layer.provide(services(options)), Layer.orDie)
}

const secret = Redacted.make(new Uint8Array(32).fill(7))
const baseUrl = "http://gateway.invalid"

const resources = resourcesAt(baseUrl)

const namesIn = ({ names }: Options) => names ?? Names.defaults

const definition = (options: Options): Composition.Definition => {
  const { providers, routes, sandbox } = options
  const inSandbox = Description.routes(namesIn(options)).filter(
    ({ operation }) => providers === undefined && routes === undefined && (sandbox === "all" || operation === "rerank")
  )
  return {
    catalogue: Catalogue.make(options.operations ?? operations, namesIn(options), options.bindings),
    routes: [...(routes ?? []), ...inSandbox, ...routesTo(providers ?? {})],
    models: sandbox === "all" ? Description.models : []
  }
}

const redirectUri = (options: Options) => `${baseUrl}${Names.fill(linkCallback.path ?? "", namesIn(options))}`

const platform = (options: Options) => ({ ...Description.platform(baseUrl), redirectUri: redirectUri(options) })

const make = Effect.fnUntraced(function* (options: Options) {
  const accounts = yield* Accounts
  const [known] = yield* accounts.list
  const { id } = known ?? (yield* accounts.create("test"))
  yield* accounts.adoptKey(id, Redacted.make(key), "test")
  const ofIssuer = options.issuer === undefined ? undefined : resources
  const all = Composition.all({ platform: platform(options) })
  const { gateway, services } = yield* Composition.make(
    definition(options),
    options.limits === true ? all : withoutLimits(all)
  ).pipe(
    Effect.provideService(OnStopping, options.onStopping ?? (() => {})),
    Effect.provideService(SlotWait, { longestMillis: options.slotWaitMillis ?? 0 }),
    Effect.provideService(ReservationWait, { longestMillis: options.waitMillis ?? 0, most: 200, everyMillis: 500 }),
    Effect.provideService(BaseUrl, baseUrl),
    Effect.provideService(ProtectedResources, ofIssuer)
  )
  const account = yield* AccountEndpoints.make(gateway, options.accountEndpoints).pipe(
    Effect.provideContext(Context.merge(yield* Effect.context<Accounts | Grants>(), services)),
    Effect.provideService(BaseUrl, baseUrl),
    Effect.provideService(ProtectedResources, ofIssuer)
  )
  const tools = yield* ToolServer.make(gateway, options.tools).pipe(
    Effect.provideContext(services),
    Effect.provideService(BaseUrl, baseUrl)
  )
  const docs = yield* Effect.provideService(Docs.make(gateway, { guides: guideFiles }), BaseUrl, baseUrl)
  const endpointGroups = [account, tools, ...metadata(options), docs]
  return {
    app: EndpointGroup.serve(endpointGroups, Http.answer(gateway)),
    billingLog: yield* BillingLog,
    accounts,
    account: id,
    sql: yield* SqlClient,
    upstreamConnections: yield* UpstreamCarrier.UpstreamConnections
  }
})

const sandboxIn = (options: Options) =>
  Layer.unwrap(
    Effect.map(Sandbox.make({ names: namesIn(options), redirectUri: redirectUri(options) }), (app) =>
      InProcess.layer({ origin: Description.origin, app, host: new URL(baseUrl).host })
    )
  )

/** The documents that name the issuer. */
const metadata = ({ issuer }: Options): ReadonlyArray<EndpointGroup.EndpointGroup> =>
  issuer === undefined ? [] : [resourceMetadata(resources, issuer.issuer)]

const storeOf = ({ issuer }: Options) =>
  issuer === undefined
    ? Composition.layerStore(secret)
    : Composition.layerStore(secret, Layer.provide(ExternalIssuer.layer(issuer, resources), ClientGrants.layer))

const sqlOf = ({ database, filename = ":memory:" }: Options): Layer.Layer<SqlClient, SqlError> =>
  database === undefined
    ? NodeSqliteClient.layer({ filename })
    : FleetSql.layer({ name: "test", version: "1.0.0", config: "" }).pipe(
        Layer.provide(SecureRandom.layerWebCrypto),
        Layer.provideMerge(PostgresClient.layer({ address: database })),
        Layer.merge(PostgresNotices.layer(database))
      )

const services = (options: Options) =>
  storeOf(options).pipe(
    Layer.provideMerge(sandboxIn(options)),
    Layer.provideMerge(UpstreamCarrier.layer()),
    Layer.provideMerge(NodeCompression.layer),
    Layer.provideMerge(BillingLog.layerMemory()),
    Layer.provideMerge(options.limitStore ?? Layer.empty),
    Layer.provideMerge(sqlOf(options)),
    Layer.provide(NodeDigest.layer)
  )
