import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as AccountsSql from "@tollgate/ledger/account/Accounts"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import * as KeysSql from "@tollgate/ledger/credential/Keys"
import { Cipher } from "../identity/crypto/Cipher.ts"
import type { AccessTokens, Keys } from "@tollgate/ledger/credential/Keys"
import { ConsoleSessions } from "../identity/console/ConsoleSessions.ts"
import { Approvals } from "../identity/approval/Approvals.ts"
import { Grants } from "../identity/grant/Grants.ts"
import { ServiceAccounts } from "../identity/grant/ServiceAccounts.ts"
import * as LedgerSql from "@tollgate/ledger/commit/LedgerSql"
import { Operators } from "../identity/operator/Operators.ts"
import { SignIn } from "../identity/signIn/SignIn.ts"
import { migrate } from "./tables.ts"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as Kdf from "effect/crypto/Kdf"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Signature from "effect/crypto/Signature"
import { RecentAnswers } from "../cache/RecentAnswers.ts"
import * as AnswerCacheSql from "../cache/AnswerCache.ts"
import * as KeptConversations from "../cache/KeptConversations.ts"
import * as KeptResponses from "../cache/KeptResponses.ts"
import { ResellerCache } from "../cache/ResellerCache.ts"
import { Ledger } from "@tollgate/ledger/ledger/Ledger"
import { Limits } from "../limits/Limits.ts"
import { LimitStore } from "../limits/shared/Command.ts"
import { Links } from "../identity/link/Links.ts"
import { Platform } from "../identity/link/TokenEndpoint.ts"
import { type PriceBook, Prices, type Model, Models } from "../exchange/Prices.ts"
import * as TasksSql from "../call/task/Tasks.ts"
import type { Bound } from "@tollgate/contract/Operation"
import type { Provider } from "../upstream/Provider.ts"
import * as BillingSql from "@tollgate/ledger/account/Billing"
import * as CallLogSql from "@tollgate/ledger/usage/CallLog"
import * as RefusedCalls from "@tollgate/ledger/usage/RefusedCalls"
import * as UsageSql from "@tollgate/ledger/usage/Usage"
import type { Catalogue } from "@tollgate/contract/Catalogue"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Gateway from "../call/Gateway.ts"
import { CurrentAbandonedStreams, AbandonedStreams, ReadOn } from "../call/AbandonedStreams.ts"
import { CallerLimits } from "../limits/NameLimit.ts"
import { SalesData, type SalesSource } from "../call/builtin/salesData.ts"
import { checkHealth } from "../upstream/healthChecks.ts"
import { OnUpstreamChange, ProviderStates } from "../upstream/ProviderStates.ts"
import { makeReach, servingOf } from "../upstream/reach.ts"
import { type Route, targetsOf } from "../upstream/Route.ts"
import { ReplayByDefault } from "../call/steps/Steps.ts"
import { Upstreams } from "../upstream/Upstreams.ts"

/** Of the host, if it provides one that is quicker than Web Crypto. */
const layerDigest = Layer.unwrap(
  Effect.map(Effect.serviceOption(Digest.Digest), (own) =>
    Option.isSome(own) ? Layer.succeed(Digest.Digest, own.value) : Digest.layerWebCrypto
  )
)

export const layerCrypto = Layer.mergeAll(
  Aead.layerWebCrypto,
  layerDigest,
  Kdf.layerWebCrypto,
  Mac.layerWebCrypto,
  Signature.layerWebCrypto
).pipe(Layer.provideMerge(SecureRandom.layerWebCrypto))

/** Without access tokens, API keys are the only credentials. */
const noAccessTokens: Layer.Layer<never> = Layer.empty

/**
 * Accounts, keys, grants and sign-in on a `SqlClient` whose tables are migrated and up to date. The server and the commands share it.
 * `secret` hashes the keys and encrypts what is secret. `accessTokens` says which other credentials there are.
 */
export const layerStore = <E = never, R = never>(
  secret: Redacted.Redacted<Uint8Array>,
  accessTokens: Layer.Layer<never, E, R> | Layer.Layer<AccessTokens, E, R> = noAccessTokens
) =>
  Layer.mergeAll(SignIn.layer, Approvals.layer, ConsoleSessions.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Layer.provide(KeysSql.layer, accessTokens), Cipher.layer(secret))),
    Layer.provideMerge(Layer.merge(ServiceAccounts.layer, Operators.layer)),
    Layer.provideMerge(Grants.layer),
    Layer.provideMerge(AccountsSql.layer),
    Layer.provideMerge(KeyHash.layer(secret)),
    Layer.provideMerge(layerCrypto),
    Layer.provide(Layer.effectDiscard(Effect.andThen(migrate, LedgerSql.checkpoint)))
  )

// Services last as long as the gateway: a configuration reload does not rebuild them.

/** What services need of the definition, as it is at the moment they ask. */
export interface InForce {
  readonly prices: PriceBook
  readonly provider: (name: string) => Provider | undefined
  readonly operation: (id: string) => Bound | undefined
}

const sharedOrMemory = Layer.unwrap(
  Effect.map(Effect.serviceOption(LimitStore), (store): Layer.Layer<Limits> =>
    Option.isNone(store)
      ? Limits.layerMemory
      : Layer.provide(Limits.layerShared, Layer.succeed(LimitStore, store.value))
  )
)

/** Ledger and limits, which every gateway has, and nothing else. */
export const billing = ({ prices }: InForce) =>
  Layer.merge(
    Layer.provideMerge(RecentAnswers.layer, LedgerSql.layer),
    Layer.provide(sharedOrMemory, Layer.succeed(Prices, prices))
  )

export interface AllOptions {
  /** Without a platform no account can be linked. */
  readonly platform?: Platform["Service"] | undefined
}

/** Billing, usage reports, the call log, tasks, kept answers and linked accounts. */
export const all =
  ({ platform }: AllOptions = {}) =>
  (inForce: InForce) =>
    Layer.mergeAll(
      UsageSql.layer,
      CallLogSql.layer,
      BillingSql.layer,
      RefusedCalls.layer,
      Layer.provideMerge(ResellerCache.layer, AnswerCacheSql.layer),
      // A response is kept by the commit that settles its call.
      KeptResponses.layer,
      KeptConversations.layer,
      TasksSql.layer(inForce),
      platform === undefined ? Layer.empty : Layer.provide(Links.layer, Layer.succeed(Platform, platform))
    ).pipe(Layer.provideMerge(billing(inForce)))

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

/** The prices, which also know who serves what. */
const pricesOf = Effect.fnUntraced(function* ({ prices, routes }: Definition) {
  const book: PriceBook = prices ?? (yield* Prices)
  const reach = makeReach(routes)
  const servedBy: PriceBook["servedBy"] = (operation, model) =>
    reach(operation, model).map((target) => servingOf(target, operation))
  return { servedBy, ...book }
})

const providersIn = ({ routes }: Definition): ReadonlyMap<string, Provider> =>
  new Map(routes.flatMap((route) => targetsOf(route).map(({ provider }) => [provider.name, provider] as const)))

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
  const context = Context.merge(yield* Effect.context<Keys | Digest.Digest | SecureRandom.SecureRandom>(), built).pipe(
    Context.add(CallerLimits, CallerLimits.make()),
    Context.add(CurrentAbandonedStreams, left)
  )
  const checks = yield* FiberHandle.make()
  const build = (definition: Definition) =>
    Carrier.use((carrier) =>
      Effect.tap(
        Effect.provideContext(gatewayOf(definition, states), Context.add(context, Carrier, carrier)),
        // Ends those of the definition before.
        () => FiberHandle.run(checks, checkHealth(carrier, states, providersIn(definition).values()))
      )
    )
  let gateway = yield* build(definition)
  let routes = definition.routes
  return {
    gateway: (): Gateway.Gateway => gateway,
    services: built,
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
