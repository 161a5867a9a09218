import { estimateTokens } from "@tollgate/contract/price/tokens"
import * as Context from "effect/Context"
import type { Priced, Routed } from "../exchange/Exchange.ts"
import type { Principal } from "@tollgate/ledger/credential/Keys"

/** Whose limits apply. A rotated key shares them with its successor. */
export const limitedAs = ({ account, key, rootKey }: Principal): string => rootKey ?? key ?? account

/** Requests per minute and key for groups that the contract limits by the upstream's own quota. `undefined`: no limit. */
export const UpstreamRpm = Context.Reference<number | undefined>("@tollgate/gateway/UpstreamRpm", {
  defaultValue: () => undefined
})

/** What a request needs of its key's limits before its body is read, besides one request per minute. */
export interface Demand {
  /** The operation's limit group and its own limit. */
  readonly group?: { readonly id: string; readonly rpm: number }
  /** Needs a lease for as long as the call runs. */
  readonly concurrent: boolean
}

/** One request and nothing else. */
export const requestOnly: Demand = { concurrent: false }

export const demandOf = ({ operation, wantsQuote }: Routed, upstreamRpm: number | undefined): Demand => {
  const { concurrency, id, rpm } = operation.limit
  const groupRpm = rpm === "upstream" ? upstreamRpm : rpm
  const concurrent = concurrency && !wantsQuote
  return groupRpm === undefined ? { concurrent } : { group: { id, rpm: groupRpm }, concurrent }
}

/** Estimated. `undefined`: the call does not count tokens. */
export const tokensOf = ({ estimate, input, model, operation, price, wantsQuote }: Priced): number | undefined =>
  operation.limit.tokens && !wantsQuote ? (estimate.tokens ?? estimateTokens(price, input.body, model)) : undefined
