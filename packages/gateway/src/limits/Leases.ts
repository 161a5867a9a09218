/** A call that was never ended, as when its fiber was lost, gives its place back after this time. */
const lifeMillis = 900_000

export interface Lease {
  readonly until: number
}

/** The places of calls under way. All are let for the same time, so they end in the order they came. */
export class Leases {
  readonly #leases = new Set<Lease>()

  /** How many are under way. */
  count(now: number): number {
    for (const lease of this.#leases) {
      if (lease.until > now) break
      this.#leases.delete(lease)
    }
    return this.#leases.size
  }

  take(now: number): Lease {
    const lease = { until: now + lifeMillis }
    this.#leases.add(lease)
    return lease
  }

  /** Giving back what was given back, or has run out, changes nothing. */
  give(lease: Lease): void {
    this.#leases.delete(lease)
  }
}
