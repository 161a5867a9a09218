import { Bucket } from "./Bucket.ts"
import { networkOf } from "./network.ts"

interface Options {
  /** How many at once. */
  readonly burst: number
  readonly perMinute: number
}

/** Beyond this many, the network that was quiet the longest is forgotten. */
const maxNetworks = 10_000

/** Limits what comes from one client address, in bounded memory. Without an address nothing is limited. */
export class AddressLimit {
  /** By network. The most recently used is last. */
  readonly #buckets = new Map<string, Bucket>()
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Milliseconds until one more is allowed. */
  wait(address: string | undefined, now: number): number {
    const bucket = address === undefined ? undefined : this.#buckets.get(networkOf(address))
    return bucket === undefined ? 0 : this.#wait(bucket, now)
  }

  /** Counts one more, unless it has to wait. Returns the wait. */
  take(address: string | undefined, now: number): number {
    if (address === undefined) return 0
    const { burst, perMinute } = this.#options
    const network = networkOf(address)
    const bucket = this.#buckets.get(network) ?? new Bucket(perMinute, now, burst)
    const wait = this.#wait(bucket, now)
    if (wait > 0) return wait
    bucket.take(1)
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
    bucket.refill(this.#options.perMinute, now)
    return bucket.wait(1)
  }
}
