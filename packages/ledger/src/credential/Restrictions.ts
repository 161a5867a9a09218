import type { AllowedOperations } from "@tollgate/contract/account/Access"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** Some operations, as they are chosen, stored and shown. */
export type Allowed = AllowedOperations

/** The same, as the path checks it. */
export interface Allows {
  readonly categories: ReadonlySet<string>
  readonly operations: ReadonlySet<string>
}

export const allowsOf = ({ categories, operations }: Allowed): Allows => ({
  categories: new Set(categories),
  operations: new Set(operations)
})

/** What a key may do besides what it may spend, with all its rotations. What is left out is not restricted. */
export interface Restrictions {
  readonly allowed?: Allowed
  readonly models?: ReadonlyArray<string>
  /** IP addresses and networks of callers. */
  readonly addresses?: ReadonlyArray<string>
  readonly endsAt?: number
}

/** `null` takes a restriction away. Those that are left out stay. */
export type RestrictionChanges = { readonly [Name in keyof Restrictions]?: Restrictions[Name] | null | undefined }

export const readRestrictions = (json: string | null): Restrictions | undefined =>
  json === null ? undefined : (JSON.parse(json) as Restrictions)

/** After the changes. Of a key without restrictions it is `null`. */
export const writeRestrictions = (before: Restrictions, changes: RestrictionChanges): string | null => {
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined)
  const all = Object.entries({ ...before, ...Object.fromEntries(changed) }).filter(([, value]) => value !== null)
  return all.length === 0 ? null : JSON.stringify(Object.fromEntries(all))
}

const mapped = IpNetwork.fromStringUnsafe("::ffff:0:0/96")

/** The address of a caller. An IPv4 address may arrive in the form of IPv6, and a local one with its zone. */
const addressOf = (text: string): NetAddress.IpAddress | undefined => {
  const address = Option.getOrUndefined(Result.getSuccess(NetAddress.ipFromString(text.replace(/%.*$/, ""))))
  if (address === undefined || !IpNetwork.contains(mapped, address) || !NetAddress.isIpv6Address(address))
    return address
  return NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(12)))
}

/** An address, or a network in CIDR notation. */
export const networkOf = (text: string): IpNetwork.IpNetwork | undefined => {
  const parsed = text.includes("/")
    ? IpNetwork.fromString(text)
    : Result.map(NetAddress.ipFromString(text), (address) =>
        IpNetwork.fromAddressUnsafe(address, NetAddress.width(address))
      )
  return Option.getOrUndefined(Result.getSuccess(parsed))
}

/** Restrictions as the path checks them. */
export interface Restricted {
  readonly allows?: Allows | undefined
  readonly models?: ReadonlySet<string> | undefined
  /** Whether callers may have this address. One that is not known counts as another. */
  readonly isFrom?: ((address: string | undefined) => boolean) | undefined
}

export const restrictedBy = ({ addresses, allowed, models }: Restrictions): Restricted => {
  const networks = addresses?.flatMap((text) => networkOf(text) ?? [])
  return {
    allows: allowed && allowsOf(allowed),
    models: models && new Set(models),
    isFrom:
      networks &&
      ((text = "") => {
        const address = addressOf(text)
        return address !== undefined && networks.some((network) => IpNetwork.contains(network, address))
      })
  }
}
