import { isPrivate } from "@tollgate/gateway/upstream/address"
import { isIP, type LookupFunction } from "node:net"
import { buildConnector } from "undici"

const forbidden = (): NodeJS.ErrnoException => Object.assign(new Error("not a public address"), { code: "EACCES" })

/** Of the addresses that a name stands for, those that are public: what is connected to is what was looked at. */
const publicAddresses =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const open = Array.isArray(found) ? found.filter(({ address }) => !isPrivate(address)) : []
      const [first] = open
      if (first === undefined) return callback(forbidden(), [])
      if (options.all === true) callback(null, open)
      else callback(null, first.address, first.family)
    })

/**
 * Connects to public addresses alone. A name is looked up once, by the connection itself; an address is not looked up at
 * all, so it is looked at here.
 */
export const publicOnly = (
  options: Pick<buildConnector.BuildOptions, "timeout" | "allowH2"> & { readonly ca?: string },
  lookup: LookupFunction
): buildConnector.connector => {
  const connect = buildConnector({ ...options, lookup: publicAddresses(lookup) })
  return (to, callback) => {
    const host = to.hostname.replace(/^\[(.*)\]$/, "$1")
    if (isIP(host) !== 0 && isPrivate(host)) callback(forbidden(), null)
    else connect(to, callback)
  }
}
