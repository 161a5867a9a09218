import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { parseUrl } from "../parseUrl.ts"

const sslModes = ["disable", "require", "verify-ca", "verify-full"] as const
export type SslMode = (typeof sslModes)[number]

interface Server {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
}

export interface Address {
  /** At least one. Of several, the one that takes writes is used. */
  readonly servers: ReadonlyArray<Server>
  readonly user: string
  readonly password: Redacted.Redacted | undefined
  readonly database: string
  readonly sslMode: SslMode
  /** Files with the authorities to trust, the client's certificate and its key. */
  readonly sslrootcert: string | undefined
  readonly sslcert: string | undefined
  readonly sslkey: string | undefined
}

const parameters = ["host", "target_session_attrs", "sslmode", "sslrootcert", "sslcert", "sslkey"]
/** Of libpq's values, those that mean a server that takes writes. */
const targets: ReadonlyArray<string | null> = [null, "read-write", "primary"]
const loopback = new Set(["localhost", "127.0.0.1", "::1"])

const isSslMode = (text: string): text is SslMode => sslModes.some((mode) => mode === text)

/** What is not encrypted must not leave the machine, unless the address says so. */
const defaultMode = (servers: ReadonlyArray<Server>): SslMode =>
  servers.every(({ host }) => host.startsWith("/") || loopback.has(host)) ? "disable" : "verify-full"

/** The address with its first server only, and the other servers: a URL has one. */
const split = (text: string): readonly [first: string, others: ReadonlyArray<string>] => {
  const [whole = "", before = "", servers = ""] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)/.exec(text) ?? []
  const [first = "", ...others] = servers.split(",")
  return [before + first + text.slice(whole.length), others]
}

const urlOf = (text: string): URL | undefined => parseUrl(text, "postgres:", "postgresql:")

const serverOf = (url: URL): Server => ({
  host: url.searchParams.get("host") ?? decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1"),
  port: url.port === "" ? 5432 : Number(url.port)
})

/**
 * Reads `postgres://user:password@host:port,host:port/database?sslmode=…`. A failure never shows the address or a part of
 * it.
 */
export const parse = (text: Redacted.Redacted): Result.Result<Address, string> => {
  const [first, more] = split(Redacted.value(text))
  const url = urlOf(first)
  const others = more.map((server) => urlOf(`postgres://${server}`))
  if (url === undefined || others.includes(undefined)) {
    return Result.fail("expected postgres://user:password@host:port/database, percent-encoded")
  }
  for (const name of url.searchParams.keys()) {
    if (!parameters.includes(name)) return Result.fail(`only ${parameters.join(", ")} are known after the ?`)
    if (url.searchParams.getAll(name).length > 1) return Result.fail(`${name} is set twice`)
  }
  const { searchParams } = url
  const servers = [url, ...others].flatMap((url) => (url === undefined ? [] : [serverOf(url)]))
  const user = decodeURIComponent(url.username)
  const database = decodeURIComponent(url.pathname.slice(1))
  if (servers.some(({ host }) => host === "") || user === "" || database === "") {
    return Result.fail("user, host and database are needed")
  }
  if (searchParams.get("host")?.includes(",") === true || (searchParams.has("host") && servers.length > 1)) {
    return Result.fail("several hosts are written before the database: host:port,host:port")
  }
  if (!targets.includes(searchParams.get("target_session_attrs"))) {
    return Result.fail("target_session_attrs must be read-write or primary: the store is written")
  }
  if (database.includes("/")) return Result.fail("the database is one name, without a slash")
  const sslMode = searchParams.get("sslmode") ?? defaultMode(servers)
  if (!isSslMode(sslMode)) return Result.fail(`sslmode must be one of ${sslModes.join(", ")}`)
  return Result.succeed({
    servers,
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
export const shown = ({ database, servers }: Address): string =>
  `${servers.map(({ host, port }) => `${host}:${port}`).join(",")}/${database}`
