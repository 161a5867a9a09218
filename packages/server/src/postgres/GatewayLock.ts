import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Scope } from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { hostname } from "node:os"
import type { Client, ClientConfig } from "pg"
import { parse, shown } from "./address.ts"
import { connectionError, sqlError } from "./error.ts"
import { gatewayLock, sessionLock } from "./locks.ts"
import { clientConfig } from "./session.ts"

/** Another gateway holds the lock. */
export class StoreLocked extends Data.TaggedError("StoreLocked")<{
  /** Who holds it, if that could be read. */
  readonly holder: string | undefined
}> {}

/** How long to wait for the connections of a gateway that was killed: the server notices its end a moment later. */
const patienceMillis = 3_000
const pauseMillis = 100
const reconnectMillis = 1_000

const self = `tollgate gateway, process ${process.pid} on ${hostname()}`

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/** If this machine loses its network, the server ends the session, and the lock, after half a minute. */
const keepalive = "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"

const connect = async (config: ClientConfig): Promise<Client> => {
  const { Client } = await import("pg")
  const client = new Client({ ...config, application_name: self })
  client.on("error", () => {})
  try {
    await client.connect()
    await client.query(keepalive)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

const tryLock = async (client: Client, id: string): Promise<boolean> => {
  const { rows } = await client.query<{ readonly held: boolean }>("SELECT pg_try_advisory_lock($1) AS held", [id])
  return rows[0]?.held === true
}

const holderOf = async (client: Client): Promise<string | undefined> => {
  const { rows } = await client.query<{ readonly name: string }>(
    "SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid" +
      " JOIN pg_database d ON d.oid = l.database AND d.datname = current_database() WHERE l.locktype = 'advisory'" +
      " AND l.granted AND l.mode = 'ExclusiveLock' AND (l.classid::bigint << 32) + l.objid::bigint = $1",
    [gatewayLock]
  )
  return rows[0]?.name
}

/** The session that holds the locks, or who has one of them. */
const take = async (config: ClientConfig, locks: ReadonlyArray<string>): Promise<Client | StoreLocked> => {
  const client = await connect(config)
  try {
    const until = performance.now() + patienceMillis
    for (const id of locks) {
      while (!(await tryLock(client, id))) {
        if (performance.now() < until) {
          await pause(pauseMillis)
          continue
        }
        const holder = await holderOf(client)
        await client.end()
        return new StoreLocked({ holder: holder === self ? undefined : holder })
      }
    }
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** Waits until no connection of an earlier gateway is left: nothing of it can be committed any more. */
const takeFirst = async (config: ClientConfig): Promise<Client | StoreLocked> => {
  const taken = await take(config, [gatewayLock, sessionLock])
  // From here on this gateway's connections share it.
  if (!(taken instanceof StoreLocked)) await taken.query("SELECT pg_advisory_unlock($1)", [sessionLock])
  return taken
}

/**
 * Holds the store for one gateway until the scope closes. A connection that is lost is made again. The returned effect ends
 * if another gateway has taken the store meanwhile; then this one must stop.
 */
export const hold = Effect.fnUntraced(function* (
  given: Redacted.Redacted
): Effect.fn.Return<Effect.Effect<void>, StoreLocked | SqlError, Scope> {
  const address = parse(given)
  if (Result.isFailure(address)) return yield* Effect.fail(connectionError("open", address.failure))
  const failed = (cause: unknown) => sqlError(cause, "open", `cannot use PostgreSQL at ${shown(address.success)}: `)
  const config = yield* Effect.try({
    try: () => clientConfig(address.success, { connectMillis: 5_000, statementMillis: 30_000 }),
    catch: failed
  })
  const taken = yield* Deferred.make<void>()
  let isClosed = false
  let session: Client | undefined

  const watch = (client: Client): void => {
    session = client
    client.once("end", () => void (isClosed ? undefined : again()))
  }
  const again = async (): Promise<void> => {
    while (!isClosed) {
      try {
        const found = await take(config, [gatewayLock])
        if (found instanceof StoreLocked) return void Deferred.doneUnsafe(taken, Effect.void)
        if (isClosed) return await found.end()
        return watch(found)
      } catch {
        await pause(reconnectMillis)
      }
    }
  }

  const first = yield* Effect.acquireRelease(Effect.tryPromise({ try: () => takeFirst(config), catch: failed }), () =>
    Effect.promise(async () => {
      isClosed = true
      await session?.end().catch(() => {})
    })
  )
  if (first instanceof StoreLocked) return yield* first
  watch(first)
  return Deferred.await(taken)
})
