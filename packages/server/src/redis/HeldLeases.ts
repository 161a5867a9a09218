/** No lease is renewed for longer: its fiber was lost. */
const lifetimeMillis = 900_000

/** The leases that calls of this process hold, by caller, and when each ends at the latest by the time of Redis. */
export class HeldLeases {
  readonly #held = new Map<string, Map<string, number>>()

  add(key: string, lease: string, now: number): void {
    const leases = this.#held.get(key) ?? new Map<string, number>()
    this.#held.set(key, leases.set(lease, now + lifetimeMillis))
  }

  remove(key: string, lease: string): void {
    const leases = this.#held.get(key)
    leases?.delete(lease)
    if (leases?.size === 0) this.#held.delete(key)
  }

  keys(): ReadonlyArray<string> {
    return [...this.#held.keys()]
  }

  /** Each lease of the caller, and when it ends. */
  of(key: string): ReadonlyArray<string> {
    return [...(this.#held.get(key) ?? [])].flatMap(([lease, end]) => [lease, String(end)])
  }
}
