import { estimateTokens } from "@tollgate/contract/price/tokens"
import * as Context from "effect/Context"
import type { Priced, Routed } from "../exchange/Exchange.ts"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { LimitState } from "@tollgate/contract/account/LimitState"
import type { RateLimits } from "@tollgate/contract/RateLimits"
import type { Allowance } from "@tollgate/contract/Tier"
import type { LimitKind } from "@tollgate/contract/errors/Refused"
import { Bucket } from "./Bucket.ts"

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

/** A lease that is never released, because its fiber was lost, expires after this time. */
const lifetimeMillis = 900_000

export interface Lease {
  readonly expiresAt: number
}

export type RateLimitState = Omit<LimitState, "tasks">

export interface Exceeded {
  readonly limit: string
  /** Milliseconds until the request would be admitted; infinite if it never would. */
  readonly wait: number
  /** Default: `requests`. */
  readonly kind?: LimitKind
}

const exceeds = (bucket: Bucket, units: number, unit: string, kind: LimitKind): Exceeded | undefined => {
  const wait = bucket.wait(units)
  return wait === 0 ? undefined : { limit: `${bucket.limit} ${unit}`, wait, kind }
}

const longerWait = (one: Exceeded | undefined, other: Exceeded | undefined): Exceeded | undefined =>
  one === undefined || (other !== undefined && other.wait > one.wait) ? other : one

/** When a running call will end is unknown, so the caller is told to retry in a second. */
const leaseWait = (concurrency: number): number => (concurrency > 0 ? 1_000 : Infinity)

/** What a shared store has counted. */
interface KnownLimits {
  readonly requests: Bucket
  readonly tokens: Bucket
  readonly groups: Map<string, Bucket>
  readonly running: number
}

export class KeyLimits {
  readonly #requests: Bucket
  readonly #tokens: Bucket
  readonly #groups: Map<string, Bucket>
  /** One for each running call. All live equally long, so they expire in the order they were acquired. */
  readonly #leases = new Set<Lease>()
  readonly #running: number

  constructor({ rpm, tpm }: Allowance, now: number, known?: KnownLimits) {
    this.#requests = known?.requests ?? new Bucket(rpm, now)
    this.#tokens = known?.tokens ?? new Bucket(tpm, now)
    this.#groups = known?.groups ?? new Map()
    this.#running = known?.running ?? 0
  }

  refill({ rpm, tpm }: Allowance, now: number): void {
    this.#requests.refill(rpm, now)
    this.#tokens.refill(tpm, now)
  }

  /** The reached limit with the longest wait. Takes nothing. */
  exceeded(demand: Demand, { concurrency }: Allowance, now: number): Exceeded | undefined {
    const isFull = demand.concurrent && this.#count(now) >= concurrency
    const longest = this.#exceededRequests(demand, now)
    return isFull
      ? longerWait(longest, {
          limit: `${concurrency} calls at a time`,
          wait: leaseWait(concurrency),
          kind: "concurrency"
        })
      : longest
  }

  /** Counts the request, and returns its lease if it needs one. Call it only if no limit is exceeded. */
  acquire({ concurrent, group }: Demand, now: number): Lease | undefined {
    this.#requests.take(1)
    if (group !== undefined) this.#group(group, now).take(1)
    if (!concurrent) return undefined
    const lease = { expiresAt: now + lifetimeMillis }
    this.#leases.add(lease)
    return lease
  }

  /** The reached limit with the longest wait, for a request that is counted and needs these tokens. Takes nothing. */
  exceededTokens(tokens: number, demand: Demand, now: number): Exceeded | undefined {
    const exceeded = exceeds(this.#tokens, tokens, "tokens per minute", "tokens")
    // The next attempt needs a request too.
    return exceeded === undefined ? undefined : longerWait(exceeded, this.#exceededRequests(demand, now))
  }

  /** Returns how many tokens were taken. Call it only if `exceededTokens` returns nothing. */
  takeTokens(tokens: number): number {
    return this.#tokens.take(tokens)
  }

  /** Does nothing if the lease was released or has expired. */
  release(lease: Lease): void {
    this.#leases.delete(lease)
  }

  /** Replaces the tokens that were taken by those used. */
  correctTokens(taken: number, used: number, now: number): void {
    this.#tokens.correct(used - taken, now)
  }

  /** Shows the key's limit on requests or the group's, whichever has fewer left. */
  headers({ group }: Demand, now: number): RateLimits {
    const ofKey = this.#requests.state
    const ofGroup = group === undefined ? ofKey : this.#group(group, now).state
    const requests = ofGroup.remaining < ofKey.remaining ? ofGroup : ofKey
    const tokens = this.#tokens.state
    return {
      limitRequests: requests.limit,
      remainingRequests: requests.remaining,
      resetRequests: Math.ceil(requests.full_at / 1000),
      limitTokens: tokens.limit,
      remainingTokens: tokens.remaining,
      resetTokens: Math.ceil(tokens.full_at / 1000)
    }
  }

  /** What is left, after a refill. Takes nothing. */
  state({ concurrency }: Allowance, now: number): RateLimitState {
    const groups = [...this.#groups].map(([id, bucket]) => ({ id, ...bucket.stateAt(now) }))
    return {
      now,
      requests: this.#requests.state,
      tokens: this.#tokens.state,
      concurrency: { limit: concurrency, running: this.#count(now) },
      groups
    }
  }

  /** A new object would behave the same. */
  isIdle(now: number): boolean {
    if (this.#count(now) > 0 || !this.#requests.isFull(now) || !this.#tokens.isFull(now)) return false
    for (const bucket of this.#groups.values()) if (!bucket.isFull(now)) return false
    return true
  }

  #count(now: number): number {
    for (const lease of this.#leases) {
      if (lease.expiresAt > now) break
      this.#leases.delete(lease)
    }
    return this.#running + this.#leases.size
  }

  #exceededRequests({ group }: Demand, now: number): Exceeded | undefined {
    const ofKey = exceeds(this.#requests, 1, "requests per minute", "requests")
    return group === undefined
      ? ofKey
      : longerWait(ofKey, exceeds(this.#group(group, now), 1, `requests per minute to ${group.id}`, "requests"))
  }

  #group({ id, rpm }: NonNullable<Demand["group"]>, now: number): Bucket {
    const known = this.#groups.get(id)
    if (known !== undefined) {
      known.refill(rpm, now)
      return known
    }
    const bucket = new Bucket(rpm, now)
    this.#groups.set(id, bucket)
    return bucket
  }
}
