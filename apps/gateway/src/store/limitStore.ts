import { type Fleet, KeyHash, SqlLimitStore } from "@tollgate/gateway"
import { PostgresClient } from "@tollgate/server/postgres"
import { RedisLimits } from "@tollgate/server/redis"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { type Settings, SettingsError } from "../settings/Settings.ts"

/** A call waits a second at most for its limits, so nothing that counts them may take longer. */
const bounded = { maxConnections: 2, connectTimeout: "1 second", statementTimeout: "1 second" } as const

/** Gateways that share a store share its secret, and nobody else has it. */
const prefix = KeyHash.use((hash) => Effect.map(hash.of("limits in Redis"), (text) => `tollgate:${text.slice(0, 16)}`))

/** Where limits are counted: in Redis if there is one, in PostgreSQL if that is the store, or else in memory. */
export const limitStore = ({
  redis,
  store
}: Pick<Settings, "redis" | "store">): Layer.Layer<never, SettingsError | SqlError, KeyHash | Fleet> => {
  if (redis !== undefined) {
    return Layer.unwrap(Effect.map(prefix, (prefix) => RedisLimits.layer({ address: redis, prefix }))).pipe(
      Layer.catchTag("LimitStoreError", ({ message }) =>
        Layer.effectDiscard(Effect.fail(new SettingsError({ message: `TOLLGATE_REDIS: ${message}` })))
      )
    )
  }
  if (store === undefined) return Layer.empty
  return Layer.provide(SqlLimitStore.layer(), PostgresClient.layer({ ...bounded, address: store }))
}
