import { linkCallback } from "@tollgate/contract/operations/linkCallback"
import { fill } from "@tollgate/contract/Names"
import {
  BaseUrl,
  Http,
  HttpCarrier,
  KeptAnswersSql,
  Limits,
  LinksSql,
  Models,
  Platform,
  Prices,
  ReplayByDefault,
  TasksSql,
  Upstreams
} from "@tollgate/gateway"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import type { Route } from "@tollgate/gateway/upstream/Route"
import { carrier, platform } from "@tollgate/gateway/upstream/sandbox"
import { client, Sandbox } from "@tollgate/sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { Config } from "./config/Config.ts"
import { plan } from "./config/plan.ts"
import { inFront } from "./sandboxPages.ts"

/** The upstreams that start with the gateway: in this process, with no socket between. */
const sandbox = ({ names }: Config) =>
  HttpCarrier.layer.pipe(
    Layer.provide(Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox.make({ names }), client)))
  )

/** To the sandbox, and to all that is not in this process. */
const everywhere = (config: Config) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { host } = new URL(yield* BaseUrl)
      return carrier(sandbox(config), Layer.succeed(Carrier, yield* Carrier), host)
    })
  )

const build = Effect.fnUntraced(function* (config: Config) {
  const { catalogue, models, prices, routes } = yield* plan(config)
  const app = yield* Http.make(catalogue).pipe(
    Effect.provide(Upstreams.layer({ routes }).pipe(Layer.provide(everywhere(config))), { local: true }),
    Effect.provideService(Prices, prices),
    Effect.provideService(Models, models),
    Effect.provideService(ReplayByDefault, config.replayByDefault)
  )
  return { app: config.sandbox ? inFront(yield* Sandbox.make({ names: config.names }))(app) : app, prices, routes }
})

const providersIn = (routes: ReadonlyArray<Route>): ReadonlyMap<string, Provider> =>
  new Map(routes.flatMap(({ to }) => to.map(({ provider }) => [provider.name, provider] as const)))

/** What outlives a change of the configuration: what is under way, and what was promised for some time. */
const lasting = (config: Config, provider: (name: string) => Provider | undefined, prices: () => Config["prices"]) => {
  const links = Effect.gen(function* () {
    const baseUrl = yield* BaseUrl
    const callback = fill(linkCallback.path ?? "", config.names)
    const known = config.platform
    return LinksSql.layer.pipe(
      Layer.provide(
        Layer.succeed(
          Platform,
          known === undefined ? platform(baseUrl, callback) : { ...known, redirectUri: `${baseUrl}${callback}` }
        )
      )
    )
  })
  return Layer.mergeAll(
    Layer.provide(
      Limits.layerMemory,
      Layer.succeed(Prices, { of: (operation, model) => prices().of(operation, model) })
    ),
    TasksSql.layer({ provider }),
    KeptAnswersSql.layer,
    config.platform !== undefined || config.sandbox ? Layer.unwrap(links) : Layer.empty
  ).pipe(Layer.provide(everywhere(config)))
}

/**
 * A gateway whose configuration can be changed while it runs. Requests that have begun end under the one they began
 * with; accounts, ledger, limits, tasks and links are the same throughout.
 */
export const live = Effect.fnUntraced(function* (config: Config) {
  let prices = config.prices
  let providers = providersIn((yield* plan(config)).routes)
  const kept = yield* Layer.build(
    lasting(
      config,
      (name) => providers.get(name),
      () => prices
    )
  )
  const context = yield* Effect.context<Exclude<Effect.Services<ReturnType<typeof build>>, Limits>>()
  const built = (config: Config) => Effect.provideContext(build(config), Context.merge(context, kept))
  let current = yield* built(config)
  const turn = (next: typeof current) => {
    current = next
    prices = next.prices
    providers = providersIn(next.routes)
  }
  turn(current)
  return {
    app: Effect.suspend(() => current.app),
    change: (config: Config) => Effect.map(built(config), turn)
  }
})
