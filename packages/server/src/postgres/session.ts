import * as Redacted from "effect/Redacted"
import type { ClientBase, ClientConfig } from "pg"
import type { Address } from "./address.ts"
import { readOnlyState } from "./error.ts"
import { Servers } from "./Servers.ts"
import { tls } from "./tls.ts"

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
