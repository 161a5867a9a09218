import { client } from "@tollgate/contract/carrier/InProcess"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults, type Names } from "@tollgate/contract/Names"
import {
  AccountEndpoints,
  Accounts,
  Composition,
  EndpointGroup,
  type Grants,
  Http,
  HttpCarrier,
  AnswerCacheSql,
  ResellerCache,
  Links,
  Platform
} from "@tollgate/gateway"
import { BillingLog, Description, Sandbox } from "@tollgate/sandbox"
import { NodeSqliteClient } from "@tollgate/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { Host } from "../Host.ts"
import { priced } from "../models.ts"
import type { Store } from "../store/Driver.ts"
import { unbilled } from "../switchedOff.ts"

/** Two accounts with a key each, on a gateway with links and cached answers but without limits and ledger. */
export class Tenants extends Context.Service<
  Tenants,
  {
    readonly one: { readonly account: string; readonly id: string; readonly key: string }
    readonly two: { readonly account: string; readonly id: string; readonly key: string }
    readonly accounts: Accounts["Service"]
    readonly links: Links["Service"]
    readonly sql: SqlClient
    readonly billingLog: BillingLog["Service"]
    /** Everything that the gateway calls. */
    readonly outside: HttpClient.HttpClient
  }
>()("@tollgate/testing/Tenants") {}

export const redirectUri = "http://gateway.invalid/apis/v1/social_a/oauth_callback"

export interface Options {
  readonly names?: Names
  /** Default: the sandbox. */
  readonly outside?: HttpClient.HttpClient
  readonly platform?: Partial<Platform["Service"]>
  readonly filename?: string
  /** Instead of SQLite. */
  readonly store?: Store
  readonly secret?: number
  readonly references?: Layer.Layer<never>
}

const tenant = Effect.fnUntraced(function* (label: string) {
  const accounts = yield* Accounts
  const { id: account } = yield* accounts.create(label)
  const { id, value } = yield* accounts.createKey(account, {})
  return { account, id, key: Redacted.value(value) }
})

const make = Effect.fnUntraced(function* ({ names = defaults, platform }: Options) {
  const linking = Layer.provide(
    Links.layer,
    Layer.succeed(Platform, {
      ...Description.platform(Description.origin),
      clientId: "tollgate test",
      redirectUri,
      ...platform
    })
  )
  const { gateway, services } = yield* Composition.make(
    { catalogue: Catalogue.make(priced, names), routes: Description.routes(names) },
    () => Layer.mergeAll(unbilled(), Layer.provide(ResellerCache.layer, AnswerCacheSql.layer), linking)
  )
  const account = yield* Effect.provideContext(
    AccountEndpoints.make(gateway),
    Context.merge(yield* Effect.context<Accounts | Grants>(), services)
  )
  const tenants = Tenants.of({
    one: yield* tenant("one"),
    two: yield* tenant("two"),
    accounts: yield* Accounts,
    links: Context.get(services, Links),
    sql: yield* SqlClient,
    billingLog: yield* BillingLog,
    outside: yield* HttpClient.HttpClient
  })
  return Context.make(Tenants, tenants).pipe(
    Context.add(Host, {
      baseUrl: "http://gateway.invalid",
      http: client(EndpointGroup.serve([account], Http.answer(gateway)))
    })
  )
})

export const layer = (options: Options = {}): Layer.Layer<Tenants | Host> => {
  const outside =
    options.outside === undefined
      ? Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox.make({ ...options, redirectUri }), client))
      : Layer.succeed(HttpClient.HttpClient, options.outside)
  const secret = Redacted.make(new Uint8Array(32).fill(options.secret ?? 7))
  return Layer.effectContext(make(options)).pipe(
    Layer.provide(HttpCarrier.layer),
    Layer.provide(outside),
    Layer.provide(BillingLog.layerMemory()),
    Layer.provide(Composition.layerStore(secret)),
    Layer.provide(options.store ?? NodeSqliteClient.layer({ filename: options.filename ?? ":memory:" })),
    Layer.provide(options.references ?? Layer.empty),
    Layer.orDie
  )
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
