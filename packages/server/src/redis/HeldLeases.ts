/** No lease is renewed for longer: its fiber was lost. */
const lifetimeMillis = 900_000

/** The leases that calls of this process hold, by caller. */
export class HeldLeases {
  readonly #held = new Map<string, Map<string, number>>()

  add(key: string, lease: string, now: number): void {
    const leases = this.#held.get(key) ?? new Map<string, number>()
    this.#held.set(key, leases.set(lease, now))
  }

  remove(key: string, lease: string): void {
    const leases = this.#held.get(key)
    leases?.delete(lease)
    if (leases?.size === 0) this.#held.delete(key)
  }

  byKey(now: number): ReadonlyArray<readonly [key: string, leases: ReadonlyArray<string>]> {
    for (const [key, leases] of this.#held) {
      for (const [lease, since] of leases) if (now - since >= lifetimeMillis) this.remove(key, lease)
    }
    return [...this.#held].map(([key, leases]) => [key, [...leases.keys()]])
  }
}
