/** A lease that is never released, because its fiber was lost, expires after this time. */
export const lifetimeMillis = 900_000

export interface Lease {
  readonly expiresAt: number
}

/** One lease for each running call. All live equally long, so they expire in the order they were acquired. */
export class Leases {
  readonly #leases = new Set<Lease>()
  readonly #counted: number

  /** `counted`: leases that a shared store has counted. */
  constructor(counted = 0) {
    this.#counted = counted
  }

  count(now: number): number {
    for (const lease of this.#leases) {
      if (lease.expiresAt > now) break
      this.#leases.delete(lease)
    }
    return this.#counted + this.#leases.size
  }

  acquire(now: number): Lease {
    const lease = { expiresAt: now + lifetimeMillis }
    this.#leases.add(lease)
    return lease
  }

  /** Does nothing if the lease was released or has expired. */
  release(lease: Lease): void {
    this.#leases.delete(lease)
  }
}
