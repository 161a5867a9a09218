import { NameLimit, type Options } from "./NameLimit.ts"
import { networkOf } from "./network.ts"

/** Limits what comes from one client address, in bounded memory. Without an address nothing is limited. */
export class AddressLimit {
  readonly #networks: NameLimit

  constructor(options: Options) {
    this.#networks = new NameLimit(options)
  }

  /** Milliseconds until one more is allowed. */
  wait(address: string | undefined, now: number): number {
    return address === undefined ? 0 : this.#networks.wait(networkOf(address), now)
  }

  /** Counts one more, unless it has to wait. Returns the wait. */
  take(address: string | undefined, now: number): number {
    return address === undefined ? 0 : this.#networks.take(networkOf(address), now)
  }

  /** How many networks are remembered. */
  get size(): number {
    return this.#networks.size
  }
}
