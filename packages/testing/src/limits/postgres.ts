import { FleetSql, SqlLimitStore } from "@tollgate/gateway"
import { FleetTimes } from "@tollgate/ledger/fleet/Fleet"
import { PostgresClient } from "@tollgate/server/postgres"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { never } from "../fleet/ledgerInFleet.ts"
import type { Driver } from "./Driver.ts"

/** The tables of a migrated database. Gateways are not taken for dead. */
export const postgresLimits = (address: Redacted.Redacted): Driver => ({
  join: Effect.map(
    Layer.build(
      FleetSql.layer({ name: "test", version: "1.0.0", config: "" }).pipe(
        Layer.provide(Layer.succeed(FleetTimes, never)),
        Layer.provide(SecureRandom.layerWebCrypto),
        Layer.provideMerge(PostgresClient.layer({ address, maxConnections: 2 }))
      )
    ),
    (context) => (now) =>
      Layer.provide(SqlLimitStore.layer(now === undefined ? {} : { now }), Layer.succeedContext(context))
  )
})
