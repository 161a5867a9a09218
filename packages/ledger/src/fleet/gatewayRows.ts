import * as Effect from "effect/Effect"
import { number, text } from "../store/rows.ts"
import * as Rows from "../store/rows.ts"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The store's clock: those of the machines may differ. */
export const now = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"

export interface NewGateway {
  /** Where it runs, for people: host and process. */
  readonly name: string
  readonly version: string
  /** The digest of its configuration. Empty without a file. */
  readonly config: string
}

interface ListedGateway extends NewGateway {
  readonly id: string
  readonly startedAt: number
  /** Milliseconds since its last heartbeat. */
  readonly silentMillis: number
}

interface DeadGateway {
  readonly name: string
  /** How many calls it left open. */
  readonly open: number
}

/** The rows of the gateways that use the store. PostgreSQL only. */
export const makeRows = ({ run }: Rows.Rows) => ({
  insert: (id: string, { config, name, version }: NewGateway) =>
    run(
      "INSERT INTO gateways (id, name, version, config, started_at, beat_at)" +
        ` VALUES ($1, $2, $3, $4, ${now}, ${now})`,
      [id, name, version, config]
    ),

  /** Returns the time of the heartbeat, if the row is still there. */
  beat: (id: string) =>
    Effect.map(run(`UPDATE gateways SET beat_at = ${now} WHERE id = $1 RETURNING beat_at`, [id]), ([row]) =>
      row === undefined ? undefined : number(row, "beat_at")
    ),

  setConfig: (id: string, config: string) => run("UPDATE gateways SET config = $1 WHERE id = $2", [config, id]),

  delete: (id: string) => run("DELETE FROM gateways WHERE id = $1", [id]),

  /** Skips a row whose gateway is committing at this moment: the next look decides. */
  deleteSilent: (id: string, millis: number) =>
    Effect.map(
      run(
        "WITH dead AS (DELETE FROM gateways WHERE id IN (SELECT id FROM gateways" +
          ` WHERE id <> $1 AND beat_at < ${now} - $2::bigint FOR UPDATE SKIP LOCKED) RETURNING id, name)` +
          " SELECT name, (SELECT COUNT(*) FROM calls WHERE state = 'open'" +
          " AND owner = dead.id) AS open FROM dead",
        [id, millis]
      ),
      (found) => found.map((row): DeadGateway => ({ name: text(row, "name"), open: number(row, "open") }))
    ),

  ids: Effect.map(run("SELECT id FROM gateways", []), (found) => new Set(found.map((row) => text(row, "id")))),

  list: Effect.map(
    run(
      `SELECT id, name, version, config, started_at, GREATEST(0, ${now} - beat_at) AS silent` +
        " FROM gateways ORDER BY started_at, id",
      []
    ),
    (found) =>
      found.map((row): ListedGateway => ({
        id: text(row, "id"),
        name: text(row, "name"),
        version: text(row, "version"),
        config: text(row, "config"),
        startedAt: number(row, "started_at"),
        silentMillis: number(row, "silent")
      }))
  )
})

export interface FleetMember extends ListedGateway {
  /** Whether most of the others have another configuration. */
  readonly configDiffers: boolean
}

/** The configuration that most of them have. */
const usual = (configs: ReadonlyArray<string>): string | undefined => {
  const counts = new Map<string, number>()
  for (const config of configs) counts.set(config, (counts.get(config) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

/** The gateways on this store. One that is alone on an embedded store has no row. */
export const listGateways = SqlClient.use((sql): Effect.Effect<ReadonlyArray<FleetMember>, SqlError> => {
  const rows = Rows.make(sql)
  if (!rows.dialect.isShared) return Effect.succeed([])
  return Effect.map(makeRows(rows).list, (found) => {
    const expected = usual(found.map(({ config }) => config))
    return found.map((gateway) => ({ ...gateway, configDiffers: gateway.config !== expected }))
  })
})
