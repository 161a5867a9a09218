import { networkOf } from "./network.ts"

interface Options {
  /** How many at once. */
  readonly burst: number
  readonly perMinute: number
}

/** Beyond this many, the network that was quiet the longest is forgotten. */
const maxNetworks = 10_000

interface Bucket {
  /** Milliseconds until it is empty again, as of `at`. */
  level: number
  at: number
}

/** Limits what comes from one client address (GCRA), in bounded memory. Without an address nothing is limited. */
export class AddressLimit {
  /** By network. The most recently used is last. */
  readonly #buckets = new Map<string, Bucket>()
  readonly #interval: number
  readonly #capacity: number

  constructor({ burst, perMinute }: Options) {
    this.#interval = 60_000 / perMinute
    this.#capacity = burst * this.#interval
  }

  /** Milliseconds until one more is allowed. */
  wait(address: string | undefined, now: number): number {
    const bucket = address === undefined ? undefined : this.#buckets.get(networkOf(address))
    return bucket === undefined ? 0 : this.#wait(bucket, now)
  }

  /** Counts one more, unless it has to wait. Returns the wait. */
  take(address: string | undefined, now: number): number {
    if (address === undefined) return 0
    const network = networkOf(address)
    const bucket = this.#buckets.get(network) ?? { level: 0, at: now }
    const wait = this.#wait(bucket, now)
    if (wait > 0) return wait
    bucket.level += this.#interval
    this.#buckets.delete(network)
    if (this.#buckets.size >= maxNetworks) this.#buckets.delete(this.#buckets.keys().next().value ?? "")
    this.#buckets.set(network, bucket)
    return 0
  }

  /** How many networks are remembered. */
  get size(): number {
    return this.#buckets.size
  }

  #wait(bucket: Bucket, now: number): number {
    // A clock that was set back empties nothing.
    bucket.level = Math.max(0, bucket.level - Math.max(0, now - bucket.at))
    bucket.at = now
    return Math.max(0, Math.ceil(bucket.level + this.#interval - this.#capacity))
  }
}
