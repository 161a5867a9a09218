import { isPrivate } from "@tollgate/gateway/driver"
import { isIP, type LookupFunction } from "node:net"
import { buildConnector } from "undici"

const forbidden = (): NodeJS.ErrnoException => Object.assign(new Error("not a public address"), { code: "EACCES" })

/** Resolves a name to its public addresses. The connection uses these very addresses, so DNS rebinding cannot change them. */
const publicAddresses =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const allowed = Array.isArray(found) ? found.filter(({ address }) => !isPrivate(address)) : []
      const [first] = allowed
      if (first === undefined) return callback(forbidden(), [])
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })

/** Connects to public addresses only. A literal address is never resolved, so it is checked here. */
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
