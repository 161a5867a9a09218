import * as Effect from "effect/Effect"
import { number, readerOf, text } from "../store/rows.ts"
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

/** `open`: how many calls it left open. */
const deadOf = readerOf({ name: text, open: number })

const listedOf = readerOf({
  id: text,
  name: text,
  version: text,
  config: text,
  startedAt: number,
  /** Milliseconds since its last heartbeat. */
  silentMillis: number
})

/** The rows of the gateways that use the store. PostgreSQL only. */
export const makeRows = ({ literal, query }: Rows.Rows) => {
  const time = literal(now)
  return {
    insert: (id: string, { config, name, version }: NewGateway) =>
      query`INSERT INTO gateways (id, name, version, config, started_at, beat_at)
        VALUES (${id}, ${name}, ${version}, ${config}, ${time}, ${time})`,

    /** Returns the time of the heartbeat, if the row is still there. */
    beat: (id: string) =>
      Effect.map(query`UPDATE gateways SET beat_at = ${time} WHERE id = ${id} RETURNING beat_at`, ([row]) =>
        row === undefined ? undefined : number(row, "beat_at")
      ),

    setConfig: (id: string, config: string) => query`UPDATE gateways SET config = ${config} WHERE id = ${id}`,

    delete: (id: string) => query`DELETE FROM gateways WHERE id = ${id}`,

    /** Skips a row whose gateway is committing at this moment: the next look decides. */
    deleteSilent: (id: string, millis: number) =>
      Effect.map(
        query`WITH dead AS (DELETE FROM gateways WHERE id IN (SELECT id FROM gateways
            WHERE id <> ${id} AND beat_at < ${time} - ${millis}::bigint FOR UPDATE SKIP LOCKED) RETURNING id, name)
          SELECT name, (SELECT COUNT(*) FROM calls WHERE state = 'open' AND owner = dead.id) AS open FROM dead`,
        (found) => found.map(deadOf)
      ),

    ids: Effect.map(query`SELECT id FROM gateways`, (found) => new Set(found.map((row) => text(row, "id")))),

    list: Effect.map(
      query`SELECT id, name, version, config, started_at, GREATEST(0, ${time} - beat_at) AS silent_millis
        FROM gateways ORDER BY started_at, id`,
      (found) => found.map(listedOf)
    )
  }
}

export interface FleetMember extends ReturnType<typeof listedOf> {
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
