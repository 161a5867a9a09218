import type { RateLimits } from "@tollgate/contract/RateLimits"
import type { Allowance } from "@tollgate/contract/Tier"
import { Bucket } from "./Bucket.ts"
import type { Claim } from "./Claim.ts"
import { type Lease, Leases } from "./Leases.ts"

/** The limit that stands in the way for the longest time. */
export interface Obstacle {
  readonly limit: string
  /** Milliseconds; infinite where nothing is allowed at all. */
  readonly wait: number
}

export interface Taken {
  readonly tokens: number | undefined
  readonly lease: Lease | undefined
}

const inTheWay = (bucket: Bucket, units: number, what: string): Obstacle | undefined => {
  const wait = bucket.wait(units)
  return wait === 0 ? undefined : { limit: `${bucket.limit} ${what}`, wait }
}

const longer = (one: Obstacle | undefined, other: Obstacle | undefined): Obstacle | undefined =>
  one === undefined || (other !== undefined && other.wait > one.wait) ? other : one

/** When another call ends is not known; asking once a second is cheap. */
const leaseWait = (concurrency: number): number => (concurrency > 0 ? 1_000 : Infinity)

/** What one key has used of its limits. */
export class KeyUse {
  readonly #requests: Bucket
  readonly #tokens: Bucket
  readonly #groups = new Map<string, Bucket>()
  readonly #leases = new Leases()

  constructor({ rpm, tpm }: Allowance, now: number) {
    this.#requests = new Bucket(rpm, now)
    this.#tokens = new Bucket(tpm, now)
  }

  turn({ rpm, tpm }: Allowance, now: number): void {
    this.#requests.turn(rpm, now)
    this.#tokens.turn(tpm, now)
  }

  /** Looks at every limit and takes from none. */
  obstacle(claim: Claim, { concurrency }: Allowance, now: number): Obstacle | undefined {
    const { concurrent, group, tokens } = claim
    const full = concurrent && this.#leases.count(now) >= concurrency
    let worst = inTheWay(this.#requests, 1, "requests per minute")
    if (group !== undefined) {
      worst = longer(worst, inTheWay(this.#group(group, now), 1, `requests per minute to ${group.id}`))
    }
    if (tokens !== undefined) worst = longer(worst, inTheWay(this.#tokens, tokens, "tokens per minute"))
    if (full) worst = longer(worst, { limit: `${concurrency} calls at a time`, wait: leaseWait(concurrency) })
    return worst
  }

  /** Only where there is no obstacle. */
  take({ concurrent, group, tokens }: Claim, now: number): Taken {
    this.#requests.take(1)
    if (group !== undefined) this.#group(group, now).take(1)
    return {
      tokens: tokens === undefined ? undefined : this.#tokens.take(tokens),
      lease: concurrent ? this.#leases.take(now) : undefined
    }
  }

  give({ lease, tokens }: Taken, used: number | undefined, now: number): void {
    if (lease !== undefined) this.#leases.give(lease)
    if (tokens !== undefined && used !== undefined) this.#tokens.correct(used - tokens, now)
  }

  /** Of the limits on requests, the one that is nearer. */
  headers({ group }: Claim, now: number): RateLimits {
    const own = group === undefined ? this.#requests : this.#group(group, now)
    const requests = own.remaining < this.#requests.remaining ? own : this.#requests
    return {
      limitRequests: requests.limit,
      remainingRequests: requests.remaining,
      resetRequests: requests.fullAt,
      limitTokens: this.#tokens.limit,
      remainingTokens: this.#tokens.remaining,
      resetTokens: this.#tokens.fullAt
    }
  }

  /** Nothing is known of it that a new one would not know. */
  isIdle(now: number): boolean {
    if (this.#leases.count(now) > 0 || !this.#requests.isFull(now) || !this.#tokens.isFull(now)) return false
    for (const bucket of this.#groups.values()) if (!bucket.isFull(now)) return false
    return true
  }

  #group({ id, rpm }: NonNullable<Claim["group"]>, now: number): Bucket {
    const known = this.#groups.get(id)
    if (known !== undefined) {
      known.turn(rpm, now)
      return known
    }
    const bucket = new Bucket(rpm, now)
    this.#groups.set(id, bucket)
    return bucket
  }
}
