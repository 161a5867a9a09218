import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "../store/rows.ts"
import * as GatewayRows from "./gatewayRows.ts"

export interface FleetMember extends GatewayRows.ListedGateway {
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
  return Effect.map(GatewayRows.make(rows).list, (found) => {
    const expected = usual(found.map(({ config }) => config))
    return found.map((gateway) => ({ ...gateway, configDiffers: gateway.config !== expected }))
  })
})
