import { AddressLimit, NameLimit } from "@tollgate/gateway"
import { isForScripts, paths } from "./endpoints.ts"

interface Limit {
  readonly burst: number
  readonly perMinute: number
}

const defaults = {
  /** A sign-in takes about six requests. */
  pages: { burst: 120, perMinute: 240 },
  registrations: { burst: 10, perMinute: 10 },
  /** Wrong ones of clients. */
  secrets: { burst: 10, perMinute: 10 },
  /** Many people may share the address of a hosted agent. */
  tokens: { burst: 300, perMinute: 600 }
} satisfies Record<string, Limit>

export type Limits = Readonly<Record<keyof typeof defaults, Limit>>

/** What one address may ask of the authorization server, by path. */
export class AddressLimits {
  readonly #pages: AddressLimit
  readonly #registrations: AddressLimit
  readonly #tokens: AddressLimit
  readonly #wrongFrom: AddressLimit
  readonly #wrongFor: NameLimit

  constructor(limits: Partial<Limits> = {}) {
    const { pages, registrations, secrets, tokens } = { ...defaults, ...limits }
    this.#pages = new AddressLimit(pages)
    this.#registrations = new AddressLimit(registrations)
    this.#tokens = new AddressLimit(tokens)
    this.#wrongFrom = new AddressLimit(secrets)
    this.#wrongFor = new NameLimit(secrets)
  }

  /** Counts a request. Returns how many milliseconds it has to wait. */
  take(path: string, address: string | undefined, now: number): number {
    const limit = path === paths.register ? this.#registrations : isForScripts(path) ? this.#tokens : this.#pages
    return limit.take(address, now)
  }

  /** Counts a wrong secret, by address and by whose it would be. Returns how many milliseconds the next has to wait. */
  takeWrongSecret(owner: string, address: string | undefined, now: number): number {
    return Math.max(this.#wrongFrom.take(address, now), this.#wrongFor.take(owner, now))
  }
}
