import { NameLimit, type Options } from "./NameLimit.ts"

/** The eight groups of an IPv6 address, `::` filled with zeros. */
const groupsOf = (address: string): ReadonlyArray<string> => {
  const [head = "", tail] = address.split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  return [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0"), ...right]
}

/** What one client has of the address space: an IPv4 address, or the first 64 bits of an IPv6 address. */
export const networkOf = (address: string): string => {
  if (!address.includes(":")) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  return groupsOf(address)
    .slice(0, 4)
    .map((group) => (group.replace(/^0+/, "") || "0").toLowerCase())
    .join(":")
}

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
