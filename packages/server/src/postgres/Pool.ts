import type { StorePool, Transact } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Acquirer, Borrower } from "effect/sql/SqlConnection"
import { SqlError } from "effect/sql/SqlError"
import type { ClientBase, ClientConfig, PoolClient } from "pg"
import { prepareSession, refuseReadOnly, requestCancel, type Servers, type Timeouts } from "./session.ts"
import { makeConnection, type PostgresConnection, type RunAlone, StatementNames } from "./connection.ts"
import { isRepeatable, sqlError } from "./error.ts"

/** How long statements under way may keep the pool from closing. */
const closeMillis = 5_000

/** A smaller pool has no connection to spare. */
const leastToKeep = 4

export interface Pool {
  readonly acquirer: Acquirer
  readonly borrower: Borrower
  readonly transact: Transact
  readonly stats: StorePool["Service"]
  readonly runAlone: RunAlone
}

interface Lease {
  readonly connection: PostgresConnection
  readonly release: () => void
}

/** Leases connections. One that is lost, or that still has a transaction open, is closed instead of used again. */
export const make = Effect.fnUntraced(function* (
  servers: Servers,
  timeouts: Timeouts,
  max: number
): Effect.fn.Return<Pool, never, Scope> {
  // Loaded here, so that a gateway on the embedded store does not load it.
  const { Client, Pool } = yield* Effect.promise(() => import("pg"))
  const names = new StatementNames()
  const connections = new WeakMap<ClientBase, PostgresConnection>()

  const chosen = new WeakMap<ClientBase, ClientConfig>()
  class ServerClient extends Client {
    constructor(options: ClientConfig = {}) {
      const server = servers.current
      super({ ...options, ...server })
      chosen.set(this, server)
    }
  }

  const pool = new Pool({
    ...servers.current,
    Client: ServerClient,
    max,
    onConnect: async (client) => {
      const server = chosen.get(client)!
      if (servers.count > 1) await refuseReadOnly(client)
      const processId = await prepareSession(client, timeouts)
      connections.set(
        client,
        makeConnection(client, {
          names,
          requestCancel: () => requestCancel(server, processId),
          isWanted: () => server === servers.current,
          onReadOnly: () => servers.failed(server)
        })
      )
    }
  })
  // A connection that is lost while idle is replaced when it is needed.
  pool.on("error", () => {})

  /** The connection of the last lone statement. The ledger sends one after another, so the next one waits for no lease. */
  let kept: Lease | undefined
  let mayKeep = max >= leastToKeep

  const close = async () => {
    mayKeep = false
    takeKept()?.release()
    await pool.end()
  }
  yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.promise(close), closeMillis))

  const leaseOf = (client: PoolClient): Lease => {
    const connection = connections.get(client)!
    return { connection, release: () => client.release(!connection.isReusable()) }
  }

  const leaseOnce: Effect.Effect<Lease, SqlError> = Effect.callback((resume) => {
    let hasLeft = false
    let leased: Lease | undefined
    const server = servers.current
    pool.connect((error, client) => {
      if (client === undefined) {
        const failure = sqlError(error, "connect")
        if (servers.isToBlame(failure)) servers.failed(server)
        return resume(Effect.fail(failure))
      }
      leased = leaseOf(client)
      // An idle one that leads to a server of before.
      if (!hasLeft && servers.count > 1 && !leased.connection.isReusable()) {
        leased.release()
        leased = undefined
        return resume(leaseOnce)
      }
      if (hasLeft) leased.release()
      else resume(Effect.succeed(leased))
    })
    return Effect.sync(() => {
      hasLeft = true
      leased?.release()
    })
  })

  const lease =
    servers.count === 1
      ? leaseOnce
      : Effect.retry(leaseOnce, { times: servers.count - 1, while: (error) => servers.isToBlame(error) })

  const release = ({ release }: Lease) => Effect.sync(release)
  const borrow = <A, E, R>(use: (connection: PostgresConnection) => Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(lease), (leased) =>
        Effect.ensuring(restore(use(leased.connection)), Effect.sync(leased.release))
      )
    )
  const takeKept = (): Lease | undefined => {
    const leased = kept
    kept = undefined
    if (leased === undefined || leased.connection.isReusable()) return leased
    leased.release()
    return undefined
  }
  const keep = (leased: Lease): void => {
    if (kept === undefined && mayKeep && leased.connection.isReusable()) kept = leased
    else leased.release()
  }
  const runAlone: RunAlone = (statement) =>
    Effect.uninterruptibleMask((restore) => {
      const leased = takeKept()
      const run = (leased: Lease) =>
        Effect.ensuring(
          leased.connection.runAlone(statement),
          Effect.sync(() => keep(leased))
        )
      return leased === undefined ? Effect.flatMap(restore(lease), run) : run(leased)
    })
  // Each connection that has an old plan is closed when it fails, so there are enough attempts for all of them.
  const repeating = { times: max + 3, while: (error: unknown) => error instanceof SqlError && isRepeatable(error) }
  return {
    acquirer: Effect.map(
      Effect.acquireRelease(lease, release, { interruptible: true }),
      ({ connection }) => connection
    ),
    // For single statements: a transaction of the caller's has a connection of its own.
    borrower: (use) => Effect.retry(borrow(use), repeating),
    transact: (transaction) =>
      Effect.retry(
        borrow((connection) => connection.transact(transaction)),
        repeating
      ),
    runAlone: (statement) => Effect.retry(runAlone(statement), repeating),
    stats: {
      size: () => ({ open: pool.totalCount, idle: pool.idleCount, limit: max }),
      waiting: () => pool.waitingCount
    }
  }
})
