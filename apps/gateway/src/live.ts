import { Gateway, HttpCarrier, Limits, Prices, Upstreams } from "@tollgate/gateway"
import { Models } from "@tollgate/gateway/own/Models"
import { Carrier } from "@tollgate/gateway/upstream/Carrier"
import { carrier } from "@tollgate/gateway/upstream/sandbox"
import { client, Sandbox } from "@tollgate/sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { Config } from "./config/Config.ts"
import { plan } from "./config/plan.ts"

/** The upstreams that start with the gateway: in this process, with no socket between. */
const sandbox = ({ names }: Config) =>
  HttpCarrier.layer.pipe(
    Layer.provide(Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox.make({ names }), client)))
  )

const build = Effect.fnUntraced(function* (config: Config) {
  const { catalogue, models, prices, routes } = yield* plan(config)
  const upstreams = Upstreams.layer({ routes }).pipe(
    Layer.provide(carrier(sandbox(config), Layer.succeed(Carrier, yield* Carrier)))
  )
  const app = yield* Gateway.make(catalogue).pipe(
    Effect.provide(upstreams, { local: true }),
    Effect.provideService(Prices, prices),
    Effect.provideService(Models, models),
    Effect.provideService(Gateway.ReplayByDefault, config.replayByDefault)
  )
  return { app, prices }
})

/**
 * A gateway whose configuration can be changed while it runs. Requests that have begun end under the one they began
 * with; accounts, ledger and limits are the same throughout.
 */
export const live = Effect.fnUntraced(function* (config: Config) {
  let prices = config.prices
  const limits = yield* Layer.build(
    Layer.provide(Limits.layerMemory, Layer.succeed(Prices, { of: (operation, model) => prices.of(operation, model) }))
  )
  const context = yield* Effect.context<Exclude<Effect.Services<ReturnType<typeof build>>, Limits>>()
  const built = (config: Config) => Effect.provideContext(build(config), Context.merge(context, limits))
  let current = yield* built(config)
  const turn = (next: typeof current) => {
    current = next
    prices = next.prices
  }
  turn(current)
  return {
    app: Effect.suspend(() => current.app),
    change: (config: Config) => Effect.map(built(config), turn)
  }
})
