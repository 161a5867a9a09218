import * as Redacted from "effect/Redacted"
import type { ClientBase, ClientConfig } from "pg"
import type { Address } from "./address.ts"
import { sessionLock } from "./locks.ts"
import { tls } from "./tls.ts"

export interface Timeouts {
  readonly connectMillis: number
  /** The longest statement. 0: no limit. */
  readonly statementMillis: number
}

/** How much longer than the server the client waits for a statement to time out: a dead network says nothing. */
const graceMillis = 5_000

/** Throws if a certificate cannot be read. Nothing comes from the `PG…` variables that the address has. */
export const clientConfig = (address: Address, { connectMillis, statementMillis }: Timeouts): ClientConfig => ({
  host: address.host,
  port: address.port,
  user: address.user,
  database: address.database,
  ssl: tls(address),
  application_name: "tollgate",
  keepAlive: true,
  // `pipeline.ts` sends statements without waiting for those before.
  pipeline: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: connectMillis,
  ...(statementMillis === 0 ? {} : { query_timeout: statementMillis + graceMillis }),
  ...(address.password === undefined ? {} : { password: Redacted.value(address.password) })
})

/** Statements and not start-up parameters, which connection poolers refuse. */
const settings = (statementMillis: number): string =>
  [
    "TIME ZONE 'UTC'",
    "bytea_output = 'hex'",
    "default_transaction_isolation = 'read committed'",
    "client_min_messages = warning",
    `statement_timeout = ${statementMillis}`,
    // If this process hangs in a transaction, the server ends it and frees its locks.
    "idle_in_transaction_session_timeout = 60000"
  ]
    .map((setting) => `SET ${setting}`)
    .join("; ")

/** Returns the id of the server process that serves the connection. `isGateway`: it counts among those of the gateway. */
export const prepareSession = async (
  client: ClientBase,
  { statementMillis }: Timeouts,
  isGateway: boolean
): Promise<number> => {
  await client.query(settings(statementMillis))
  const lock = isGateway ? `pg_advisory_lock_shared(${sessionLock})` : "NULL"
  const { rows } = await client.query<{ readonly id: number }>(`SELECT pg_backend_pid() AS id, ${lock} AS shared`)
  return Number(rows[0]?.id)
}
