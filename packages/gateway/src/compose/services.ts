import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { RecentAnswers } from "../cache/RecentAnswers.ts"
import * as AnswerCacheSql from "../cache/AnswerCache.ts"
import { ResellerCache } from "../cache/ResellerCache.ts"
import { Ledger } from "@tollgate/ledger/ledger/Ledger"
import * as LedgerSql from "@tollgate/ledger/commit/LedgerSql"
import { Limits } from "../limits/Limits.ts"
import { LimitStore } from "../limits/shared/Command.ts"
import { Links } from "../identity/link/Links.ts"
import { Platform } from "../identity/link/TokenEndpoint.ts"
import { type PriceBook, Prices } from "../exchange/Prices.ts"
import * as TasksSql from "../call/task/Tasks.ts"
import type { Bound } from "@tollgate/contract/Operation"
import type { Provider } from "../upstream/Provider.ts"
import * as CallLogSql from "@tollgate/ledger/usage/CallLog"
import * as UsageSql from "@tollgate/ledger/usage/Usage"

// Services last as long as the gateway: a configuration reload does not rebuild them.

/** What services need of the definition, as it is at the moment they ask. */
export interface InForce {
  readonly prices: PriceBook
  readonly provider: (name: string) => Provider | undefined
  readonly operation: (id: string) => Bound | undefined
}

export interface Switches {
  /** `false`: nobody is billed. */
  readonly ledger?: boolean
  /** `false`: every request is let in. */
  readonly limits?: boolean
}

/** Neither ledger nor limits: the gateway only routes, and needs no store for it. */
export const unbilled = () => Layer.mergeAll(Ledger.layerOff, Limits.layerOff)

/** Limits in the store that is provided for them, or in memory. */
const sharedOrMemory = Layer.unwrap(
  Effect.map(Effect.serviceOption(LimitStore), (store): Layer.Layer<Limits> =>
    Option.isNone(store)
      ? Limits.layerMemory
      : Layer.provide(Limits.layerShared, Layer.succeed(LimitStore, store.value))
  )
)

/** Ledger and limits, which every gateway has, and nothing else. */
export const billing =
  ({ ledger = true, limits = true }: Switches = {}) =>
  ({ prices }: InForce) =>
    Layer.mergeAll(
      ledger ? Layer.provideMerge(RecentAnswers.layer, LedgerSql.layer) : Ledger.layerOff,
      limits ? Layer.provide(sharedOrMemory, Layer.succeed(Prices, prices)) : Limits.layerOff
    )

export interface AllOptions extends Switches {
  /** Without a platform no account can be linked. */
  readonly platform?: Platform["Service"] | undefined
}

/** Billing, usage reports, the call log, tasks, kept answers and linked accounts. */
export const all =
  ({ platform, ...switches }: AllOptions = {}) =>
  (inForce: InForce) =>
    Layer.mergeAll(
      UsageSql.layer,
      CallLogSql.layer,
      Layer.provideMerge(ResellerCache.layer, AnswerCacheSql.layer),
      TasksSql.layer(inForce),
      platform === undefined ? Layer.empty : Layer.provide(Links.layer, Layer.succeed(Platform, platform))
    ).pipe(Layer.provideMerge(billing(switches)(inForce)))
