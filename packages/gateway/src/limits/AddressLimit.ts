import { networkOf } from "./network.ts"

interface Options {
  /** How many at once. */
  readonly burst: number
  readonly perMinute: number
}

/** Beyond this many, the network that was quiet the longest is forgotten. */
const maxNetworks = 10_000

/** Limits what comes from one client address (GCRA), in bounded memory. Without an address nothing is limited. */
export class AddressLimit {
  /** By network: when its bucket is full again, in milliseconds. The most recently used is last. */
  readonly #fullAt = new Map<string, number>()
  readonly #interval: number
  readonly #capacity: number

  constructor({ burst, perMinute }: Options) {
    this.#interval = 60_000 / perMinute
    this.#capacity = burst * this.#interval
  }

  /** Milliseconds until one more is allowed. */
  wait(address: string | undefined, now: number): number {
    if (address === undefined || this.#fullAt.size === 0) return 0
    const excess = this.#level(networkOf(address), now) + this.#interval - this.#capacity
    return excess <= 0 ? 0 : Math.ceil(excess)
  }

  /** Counts one more, unless it has to wait. Returns the wait. */
  take(address: string | undefined, now: number): number {
    if (address === undefined) return 0
    const wait = this.wait(address, now)
    if (wait > 0) return wait
    const network = networkOf(address)
    const fullAt = now + this.#level(network, now) + this.#interval
    this.#fullAt.delete(network)
    if (this.#fullAt.size >= maxNetworks) this.#fullAt.delete(this.#fullAt.keys().next().value ?? "")
    this.#fullAt.set(network, fullAt)
    return 0
  }

  /** How many networks are remembered. */
  get size(): number {
    return this.#fullAt.size
  }

  /** More than a full bucket means that the clock was set back: what was counted before is forgotten. */
  #level(network: string, now: number): number {
    const level = Math.max(0, (this.#fullAt.get(network) ?? now) - now)
    return level > this.#capacity ? 0 : level
  }
}
