import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import type { ConnectionOptions } from "node:tls"
import type { Address } from "./address.ts"

const read = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : readFileSync(path, "utf8")

/**
 * As libpq has the modes: `require` encrypts, `verify-ca` also checks who issued the certificate, `verify-full` also the
 * name in it. Throws if a file cannot be read.
 */
export const tls = ({ sslMode, sslcert, sslkey, sslrootcert }: Address, host: string): ConnectionOptions | false => {
  if (sslMode === "disable") return false
  const ca = read(sslrootcert)
  const cert = read(sslcert)
  const key = read(sslkey)
  return {
    // As in libpq, `require` with authorities checks them.
    rejectUnauthorized: sslMode !== "require" || ca !== undefined,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(sslMode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key })
  }
}
