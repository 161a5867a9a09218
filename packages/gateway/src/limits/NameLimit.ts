import { Bucket } from "./Bucket.ts"
import * as Context from "effect/Context"

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

interface Options {
  /** How many at once. */
  readonly burst: number
  readonly perMinute: number
}

/** Beyond this many, the name that was quiet the longest is forgotten. */
const maxNames = 10_000

/** Limits what comes under one name, in bounded memory. */
export class NameLimit {
  /** By name. The most recently used is last. */
  readonly #buckets = new Map<string, Bucket>()
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Milliseconds until one more is allowed. */
  wait(name: string, now: number): number {
    const bucket = this.#buckets.get(name)
    return bucket === undefined ? 0 : this.#wait(bucket, now)
  }

  /** Counts one more, unless it has to wait. Returns the wait. */
  take(name: string, now: number): number {
    const { burst, perMinute } = this.#options
    const bucket = this.#buckets.get(name) ?? new Bucket(perMinute, now, burst)
    const wait = this.#wait(bucket, now)
    if (wait > 0) return wait
    bucket.take(1)
    this.#keep(name, bucket)
    return 0
  }

  /** Counts what was used meanwhile, also beyond what is allowed: then the next has to wait. */
  spend(name: string, now: number, units: number): void {
    const { burst, perMinute } = this.#options
    const bucket = this.#buckets.get(name) ?? new Bucket(perMinute, now, burst)
    bucket.correct(units, now)
    this.#keep(name, bucket)
  }

  get size(): number {
    return this.#buckets.size
  }

  #keep(name: string, bucket: Bucket): void {
    this.#buckets.delete(name)
    if (this.#buckets.size >= maxNames) this.#buckets.delete(this.#buckets.keys().next().value ?? "")
    this.#buckets.set(name, bucket)
  }

  #wait(bucket: Bucket, now: number): number {
    bucket.refill(this.#options.perMinute, now)
    return bucket.wait(1)
  }
}

/** Limits what comes from one client address, in bounded memory. Without an address nothing is limited. */
export class AddressLimit extends NameLimit {
  override wait(address: string | undefined, now: number): number {
    return address === undefined ? 0 : super.wait(networkOf(address), now)
  }

  override take(address: string | undefined, now: number): number {
    return address === undefined ? 0 : super.take(networkOf(address), now)
  }
}

/** What callers without a right credential may do. It outlives a configuration reload. */
export class CallerLimits extends Context.Service<
  CallerLimits,
  {
    /** Operations that need no credential, by address. */
    readonly open: AddressLimit
    /** Wrong credentials, by address. */
    readonly wrong: AddressLimit
    /** Credentials that were valid once. They do not wait behind guesses from their address. */
    readonly proven: Set<string>
  }
>()("@tollgate/gateway/CallerLimits") {
  static readonly make = (): CallerLimits["Service"] => ({
    open: new AddressLimit({ burst: 60, perMinute: 120 }),
    wrong: new AddressLimit({ burst: 60, perMinute: 60 }),
    proven: new Set()
  })
}
