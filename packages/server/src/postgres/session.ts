import type { ClientBase, ClientConfig } from "pg"
import { SqlError } from "effect/sql/SqlError"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import type { ConnectionOptions } from "node:tls"
import type { Address } from "./address.ts"
import * as Redacted from "effect/Redacted"
import { readOnlyState } from "./error.ts"

/** What the pool itself says if all its connections are in use for too long. */
const poolIsFull = "timeout exceeded when trying to connect"

/** The servers of an address, of which one takes writes. New connections go to the last one that did. */
export class Servers {
  readonly #configs: ReadonlyArray<ClientConfig>
  #index = 0

  constructor(configs: ReadonlyArray<ClientConfig>) {
    this.#configs = configs
  }

  get count(): number {
    return this.#configs.length
  }

  get current(): ClientConfig {
    return this.#configs[this.#index]!
  }

  /** It cannot be reached, or takes no writes. Several may say so of the same one. */
  failed(server: ClientConfig): void {
    if (server === this.current) this.#index = (this.#index + 1) % this.count
  }

  /** Whether another server may do better. As in libpq, a refused password ends the search. */
  isToBlame(error: unknown): boolean {
    return error instanceof SqlError && error.reason._tag === "ConnectionError" && error.reason.message !== poolIsFull
  }
}

const read = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : readFileSync(path, "utf8")

/**
 * As libpq has the modes: `require` encrypts, `verify-ca` also checks who issued the certificate, `verify-full` also the
 * name in it. Throws if a file cannot be read.
 */
const tls = ({ sslMode, sslcert, sslkey, sslrootcert }: Address, host: string): ConnectionOptions | false => {
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

/** Asks the server, over a connection of its own, to cancel what a backend is doing. It may be over already. */
export const requestCancel = async (config: ClientConfig, processId: number): Promise<void> => {
  const { Client } = await import("pg")
  const client = new Client(config)
  client.on("error", () => {})
  try {
    await client.connect()
    await client.query("SELECT pg_cancel_backend($1)", [processId])
  } catch {
  } finally {
    await client.end().catch(() => {})
  }
}

export interface Timeouts {
  readonly connectMillis: number
  /** The longest statement. 0: no limit. */
  readonly statementMillis: number
  /** The longest pause of this process in a transaction. Then the server ends it and frees its locks. */
  readonly idleMillis: number
}

/** How much longer than the server the client waits for a statement to time out: a dead network says nothing. */
const graceMillis = 5_000

const clientConfig = (
  address: Address,
  { host, port }: Address["servers"][number],
  { connectMillis, statementMillis }: Pick<Timeouts, "connectMillis" | "statementMillis">
): ClientConfig => ({
  host,
  port,
  user: address.user,
  database: address.database,
  ssl: tls(address, host),
  application_name: "tollgate",
  keepAlive: true,
  // `pipeline.ts` sends statements without waiting for those before.
  pipeline: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: connectMillis,
  ...(statementMillis === 0 ? {} : { query_timeout: statementMillis + graceMillis }),
  ...(address.password === undefined ? {} : { password: Redacted.value(address.password) })
})

/** Throws if a certificate cannot be read. Nothing comes from the `PG…` variables that the address has. */
export const serversOf = (address: Address, timeouts: Pick<Timeouts, "connectMillis" | "statementMillis">): Servers =>
  new Servers(address.servers.map((server) => clientConfig(address, server, timeouts)))

/** Statements and not start-up parameters, which connection poolers refuse. */
const settings = ({ idleMillis, statementMillis }: Timeouts): string =>
  [
    "TIME ZONE 'UTC'",
    "bytea_output = 'hex'",
    "default_transaction_isolation = 'read committed'",
    "client_min_messages = warning",
    `statement_timeout = ${statementMillis}`,
    `idle_in_transaction_session_timeout = ${idleMillis}`
  ]
    .map((setting) => `SET ${setting}`)
    .join("; ")

/** Throws what a write would be answered with, if the server is a standby or set to be read-only. */
export const refuseReadOnly = async (client: ClientBase): Promise<void> => {
  const { rows } = await client.query<{ readonly transaction_read_only: string }>("SHOW transaction_read_only")
  if (rows[0]?.transaction_read_only !== "off") {
    throw Object.assign(new Error("the server is read-only"), { code: readOnlyState })
  }
}

/** Returns the id of the server process that serves the connection. */
export const prepareSession = async (client: ClientBase, timeouts: Timeouts): Promise<number> => {
  await client.query(settings(timeouts))
  const { rows } = await client.query<{ readonly id: number }>("SELECT pg_backend_pid() AS id")
  return Number(rows[0]?.id)
}
