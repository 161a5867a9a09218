import { formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import type { RateLimits } from "@tollgate/contract/RateLimits"
import type { Available } from "@tollgate/ledger/ledger/Ledger"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Gateway } from "@tollgate/gateway/call/Gateway"
import type { Caller } from "./Caller.ts"
import type { AvailableSpending, Used } from "./shapes.ts"

/** What is left of the limits, as a field of a result. */
export const remainingLimits = (limits: RateLimits): Pick<Used, "limits"> => {
  const { limitRequests, limitTokens, remainingRequests, remainingTokens, resetRequests, resetTokens } = limits
  if (limitRequests === undefined && limitTokens === undefined) return {}
  const window = (limit?: number, remaining?: number, reset?: number) =>
    limit === undefined ? undefined : { limit, remaining, reset }
  return {
    limits: {
      requests: window(limitRequests, remainingRequests, resetRequests),
      tokens: window(limitTokens, remainingTokens, resetTokens)
    }
  }
}

interface Known {
  readonly at: number
  readonly of: AvailableSpending["of"]
  micros: bigint
}

/** The store is asked at most this often for each credential. In between, what was charged here is taken off. */
const freshMillis = 1_000

const mostKnown = 10_000

/** By the gateway in force, then by credential, the oldest first. */
const known = new WeakMap<Gateway, Map<string, Known>>()

/** What the next call is limited by. */
const limitOf = ({ budget, quota, spendable }: Available, isGrant: boolean): AvailableSpending["of"] => {
  if (quota?.left === spendable) return `${isGrant ? "grant" : "key"}_this_${quota.period}`
  if (budget?.left === spendable) return isGrant ? "grant" : "key"
  return "account"
}

/** What the caller may still spend, after a call that was charged this much. */
export const availableSpending = Effect.fnUntraced(function* (
  { authenticated: { principal }, gateway }: Caller,
  charged: bigint
): Effect.fn.Return<AvailableSpending | undefined> {
  if (principal === undefined) return undefined
  const byCredential = known.get(gateway) ?? new Map<string, Known>()
  known.set(gateway, byCredential)
  const credential = principal.key ?? principal.account
  const now = yield* Clock.currentTimeMillis
  let last = byCredential.get(credential)
  if (last !== undefined && Math.abs(now - last.at) < freshMillis) {
    last.micros = last.micros > charged ? last.micros - charged : 0n
  } else {
    const left = yield* gateway.left(principal)
    if (left === undefined) return undefined
    last = { at: now, of: limitOf(left, principal.grant !== undefined), micros: left.spendable }
    byCredential.delete(credential)
    byCredential.set(credential, last)
    const [oldest] = byCredential.keys()
    if (byCredential.size > mostKnown && oldest !== undefined) byCredential.delete(oldest)
  }
  return { usd: formatUsd(fromMicros(micro(last.micros))), of: last.of }
})
