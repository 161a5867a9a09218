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
export const addressLimits = (limits: Partial<Limits> = {}) => {
  const all = { ...defaults, ...limits }
  const pages = new AddressLimit(all.pages)
  const registrations = new AddressLimit(all.registrations)
  const tokens = new AddressLimit(all.tokens)
  const wrongFrom = new AddressLimit(all.secrets)
  const wrongFor = new NameLimit(all.secrets)
  return {
    /** Counts a request. Returns how many milliseconds it has to wait. */
    take: (path: string, address: string | undefined, now: number): number => {
      const limit = path === paths.register ? registrations : isForScripts(path) ? tokens : pages
      return limit.take(address, now)
    },
    /** Counts a wrong secret, by address and by whose it would be. Returns how many milliseconds the next has to wait. */
    takeWrongSecret: (owner: string, address: string | undefined, now: number): number =>
      Math.max(wrongFrom.take(address, now), wrongFor.take(owner, now))
  }
}

export type AddressLimits = ReturnType<typeof addressLimits>
