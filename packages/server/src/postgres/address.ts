import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

const sslModes = ["disable", "require", "verify-ca", "verify-full"] as const
export type SslMode = (typeof sslModes)[number]

export interface Address {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: Redacted.Redacted | undefined
  readonly database: string
  readonly sslMode: SslMode
  /** Files with the authorities to trust, the client's certificate and its key. */
  readonly sslrootcert: string | undefined
  readonly sslcert: string | undefined
  readonly sslkey: string | undefined
}

const parameters = ["host", "sslmode", "sslrootcert", "sslcert", "sslkey"]
const loopback = new Set(["localhost", "127.0.0.1", "::1"])

const isSslMode = (text: string): text is SslMode => sslModes.some((mode) => mode === text)

/** What is not encrypted must not leave the machine, unless the address says so. */
const defaultMode = (host: string): SslMode => (host.startsWith("/") || loopback.has(host) ? "disable" : "verify-full")

const urlOf = (text: string): URL | undefined => {
  try {
    const url = new URL(text)
    // Throws if one of them is not percent-encoded.
    for (const part of [url.username, url.password, url.hostname, url.pathname]) decodeURIComponent(part)
    return url.protocol === "postgres:" || url.protocol === "postgresql:" ? url : undefined
  } catch {
    return undefined
  }
}

/** Reads `postgres://user:password@host:port/database?sslmode=…`. A failure never shows the address or a part of it. */
export const parse = (text: Redacted.Redacted): Result.Result<Address, string> => {
  const url = urlOf(Redacted.value(text))
  if (url === undefined) return Result.fail("expected postgres://user:password@host:port/database, percent-encoded")
  for (const name of url.searchParams.keys()) {
    if (!parameters.includes(name)) return Result.fail(`only ${parameters.join(", ")} are known after the ?`)
    if (url.searchParams.getAll(name).length > 1) return Result.fail(`${name} is set twice`)
  }
  const { searchParams } = url
  const host = searchParams.get("host") ?? decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1")
  const user = decodeURIComponent(url.username)
  const database = decodeURIComponent(url.pathname.slice(1))
  if (host === "" || user === "" || database === "") return Result.fail("user, host and database are needed")
  if (host.includes(",")) return Result.fail("only one host is supported")
  if (database.includes("/")) return Result.fail("the database is one name, without a slash")
  const sslMode = searchParams.get("sslmode") ?? defaultMode(host)
  if (!isSslMode(sslMode)) return Result.fail(`sslmode must be one of ${sslModes.join(", ")}`)
  return Result.succeed({
    host,
    port: url.port === "" ? 5432 : Number(url.port),
    user,
    password: url.password === "" ? undefined : Redacted.make(decodeURIComponent(url.password)),
    database,
    sslMode,
    sslrootcert: searchParams.get("sslrootcert") ?? undefined,
    sslcert: searchParams.get("sslcert") ?? undefined,
    sslkey: searchParams.get("sslkey") ?? undefined
  })
}

/** Without user and password, for messages. */
export const shown = ({ database, host, port }: Address): string => `${host}:${port}/${database}`
