import type { RunningGateways } from "@tollgate/contract/admin/Gateway"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { listGateways } from "../../books/fleet/listGateways.ts"
import { get, ok, type Route } from "./Route.ts"
import { runningGateway } from "./shapes.ts"

export const gatewayRoutes = (sql: SqlClient): ReadonlyArray<Route> => [
  get("/gateways", () =>
    Effect.map(Effect.provideService(listGateways, SqlClient, sql), (found) => {
      const body: RunningGateways = { gateways: found.map(runningGateway) }
      return ok(body)
    })
  )
]
