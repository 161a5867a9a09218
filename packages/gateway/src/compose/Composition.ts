import type { Catalogue } from "@tollgate/contract/Catalogue"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Model, Models, type PriceBook, Prices } from "../exchange/Prices.ts"
import type { Keys } from "@tollgate/ledger/credential/Keys"
import * as Gateway from "../call/Gateway.ts"
import { CurrentAbandonedStreams, AbandonedStreams, ReadOn } from "../call/AbandonedStreams.ts"
import type { Ledger } from "@tollgate/ledger/ledger/Ledger"
import type { Limits } from "../limits/Limits.ts"
import { CallerLimits } from "../limits/NameLimit.ts"
import { SalesData, type SalesSource } from "../call/builtin/salesData.ts"
import type { Provider } from "../upstream/Provider.ts"
import { OnUpstreamChange, ProviderStates } from "../upstream/ProviderStates.ts"
import type { Route } from "../upstream/Route.ts"
import { ReplayByDefault } from "../call/steps/Steps.ts"
import { Upstreams } from "../upstream/Upstreams.ts"
import type { InForce } from "./services.ts"

export { layerCrypto } from "./store.ts"
export { all, billing, unbilled } from "./services.ts"
export { layerStore } from "./store.ts"

/** What a configuration reload replaces. */
export interface Definition {
  readonly catalogue: Catalogue
  readonly routes: ReadonlyArray<Route>
  /** Default: those of the catalogue. */
  readonly prices?: PriceBook
  /** The models that are listed. Default: none. */
  readonly models?: ReadonlyArray<Model>
  /** Whether a completed call is answered again where the caller does not say. Default: it is refused. */
  readonly replayByDefault?: boolean
  /** The source of sales data. Default: none. */
  readonly salesData?: SalesSource | undefined
}

const pricesOf = ({ prices }: Definition) => (prices === undefined ? Prices : Effect.succeed(prices))

const providersIn = ({ routes }: Definition): ReadonlyMap<string, Provider> =>
  new Map(routes.flatMap(({ to }) => to.map(({ provider }) => [provider.name, provider] as const)))

const gatewayOf = Effect.fnUntraced(function* (definition: Definition, states: ProviderStates) {
  return yield* Gateway.make(definition.catalogue).pipe(
    Effect.provide(Upstreams.layer(definition.routes, states), { local: true }),
    Effect.provideService(Prices, yield* pricesOf(definition)),
    Effect.provideService(Models, definition.models ?? (yield* Models)),
    Effect.provideService(ReplayByDefault, definition.replayByDefault ?? (yield* ReplayByDefault)),
    Effect.provideService(SalesData, definition.salesData ?? (yield* SalesData))
  )
})

/**
 * Puts a gateway together: the services, which last as long as the scope, and the path, which `replace` rebuilds while
 * the gateway runs. A endpoint group asks for the gateway once per request, so a request ends under the definition it began with.
 */
export const make = Effect.fnUntraced(function* <S, E, R>(
  definition: Definition,
  services: (inForce: InForce) => Layer.Layer<Ledger | Limits | S, E, R>
) {
  let prices = yield* pricesOf(definition)
  let providers = providersIn(definition)
  let { catalogue } = definition
  const built = yield* Layer.build(
    services({
      prices: { of: (operation, model) => prices.of(operation, model) },
      provider: (name) => providers.get(name),
      operation: (id) => catalogue.byId.get(id)
    })
  )
  const states = new ProviderStates(yield* OnUpstreamChange)
  yield* Effect.addFinalizer(() => states.keepSessions([]))
  const left = new AbandonedStreams(yield* ReadOn, yield* Clock.Clock)
  // Before the services end: those that still read on are settled.
  yield* Effect.addFinalizer(() => left.close)
  const context = Context.merge(yield* Effect.context<Keys | Digest | SecureRandom>(), built).pipe(
    Context.add(CallerLimits, CallerLimits.make()),
    Context.add(CurrentAbandonedStreams, left)
  )
  const build = (definition: Definition) =>
    Carrier.use((carrier) =>
      Effect.provideContext(gatewayOf(definition, states), Context.add(context, Carrier, carrier))
    )
  let gateway = yield* build(definition)
  let routes = definition.routes
  return {
    /** The gateway in force. */
    gateway: (): Gateway.Gateway => gateway,
    services: built,
    /** The routes in force, and what is known of their providers. */
    upstreams: () => ({ routes, states }),
    /** The new gateway calls upstreams by the carrier that is given here. */
    replace: Effect.fnUntraced(function* (next: Definition) {
      const nextPrices = yield* pricesOf(next)
      gateway = yield* build(next)
      prices = nextPrices
      providers = providersIn(next)
      catalogue = next.catalogue
      routes = next.routes
      yield* states.keepSessions(providers.values())
    })
  }
})
