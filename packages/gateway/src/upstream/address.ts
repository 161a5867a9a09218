import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

const networks = (...cidrs: ReadonlyArray<string>): ReadonlyArray<IpNetwork.IpNetwork> =>
  cidrs.map(IpNetwork.fromStringUnsafe)

const closedV4 = networks(
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, with the metadata services of clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4" // reserved, and broadcast
)

/** The only part of IPv6 that is routed on the internet. */
const globalV6 = IpNetwork.fromStringUnsafe("2000::/3")

const closedV6 = networks(
  "2001::/23", // protocol assignments, and Teredo
  "2001:db8::/32", // documentation
  "3fff::/16" // documentation
)

/** IPv6 networks whose addresses carry an IPv4 address, and the octet it starts at. */
const carriersOfV4: ReadonlyArray<readonly [network: IpNetwork.IpNetwork, start: number]> = [
  [IpNetwork.fromStringUnsafe("::ffff:0:0/96"), 12], // IPv4-mapped
  [IpNetwork.fromStringUnsafe("::ffff:0:0:0/96"), 12], // IPv4-translated
  [IpNetwork.fromStringUnsafe("::/96"), 12], // IPv4-compatible
  [IpNetwork.fromStringUnsafe("64:ff9b::/96"), 12], // NAT64
  [IpNetwork.fromStringUnsafe("2002::/16"), 2] // 6to4
]

const isIn = (list: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress): boolean =>
  list.some((network) => IpNetwork.contains(network, address))

const carriedV4 = (address: NetAddress.Ipv6Address): NetAddress.Ipv4Address | undefined => {
  const found = carriersOfV4.find(([network]) => IpNetwork.contains(network, address))
  if (found === undefined) return undefined
  const [, start] = found
  return NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(start, start + 4)))
}

/**
 * Whether an IP address is not on the public internet: loopback, private, link-local, multicast or reserved. An IPv6
 * address that carries an IPv4 address is judged by that one. Text that is no IP address counts as private.
 */
export const isPrivate = (text: string): boolean => {
  const withoutZone = text.replace(/%.*$/, "")
  const parsed = NetAddress.ipFromString(withoutZone)
  if (Result.isFailure(parsed)) return true
  const address = parsed.success
  if (NetAddress.isIpv4Address(address)) return isIn(closedV4, address)
  const v4 = carriedV4(address)
  if (v4 !== undefined) return isIn(closedV4, v4)
  return !IpNetwork.contains(globalV6, address) || isIn(closedV6, address)
}
