import {
  type AccessTokens,
  checkSecret,
  Composition,
  Fleet,
  FleetSql,
  KeyHash,
  LimitsFallback,
  SqlLimitStore
} from "@tollgate/gateway"
import { NodeDigest, NodeSqliteClient } from "@tollgate/server"
import { PostgresClient, PostgresNotices } from "@tollgate/server/postgres"
import { RedisLimits } from "@tollgate/server/redis"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { hostname } from "node:os"
import { version } from "../package.ts"
import { type Settings, SettingsError, refuseSetting } from "../settings/Settings.ts"
import * as dataFolder from "./dataFolder.ts"
import { refuseMoved } from "./marks.ts"

/** A call waits a second at most for its limits, so nothing that counts them may take longer. */
const bounded = { maxConnections: 2, connectTimeout: "1 second", statementTimeout: "1 second" } as const

/** Gateways that share a store share its secret, and nobody else has it. */
const prefix = KeyHash.use((hash) => Effect.map(hash.of("limits in Redis"), (text) => `tollgate:${text.slice(0, 16)}`))

/** Where limits are counted: in Redis if there is one, in PostgreSQL if that is the store, or else in memory. */
const limitStore = ({
  redis,
  store
}: Pick<Settings, "redis" | "store">): Layer.Layer<never, SettingsError | SqlError, KeyHash | Fleet> => {
  if (redis !== undefined) {
    return Layer.unwrap(Effect.map(prefix, (prefix) => RedisLimits.layer({ address: redis, prefix }))).pipe(
      Layer.catchTag("LimitStoreError", ({ message }) =>
        Layer.effectDiscard(refuseSetting(`TOLLGATE_REDIS: ${message}`))
      )
    )
  }
  if (store === undefined) return Layer.empty
  return Layer.provide(SqlLimitStore.layer(), PostgresClient.layer({ ...bounded, address: store }))
}

/** Where the data is: in PostgreSQL at `store`, or in the folder `data`. The folder holds the secret if none is given. */
export type Place = Pick<Settings, "data" | "secret" | "store">

export const hasNoFolder = ({ secret, store }: Pick<Place, "secret" | "store">): boolean =>
  secret !== undefined && store !== undefined

const secretOf = (place: Place) =>
  hasNoFolder(place) && place.secret !== undefined
    ? Effect.succeed(place.secret)
    : dataFolder.open(place.data, place.secret)

export const keyHash = (place: Place) =>
  Layer.unwrap(Effect.map(secretOf(place), (secret) => Layer.provide(KeyHash.layer(secret), Composition.layerCrypto)))

const otherSecret = ({ secret }: Place) =>
  new SettingsError({
    message:
      `${secret === undefined ? "TOLLGATE_DATA" : "TOLLGATE_SECRET"}: the store was made with another secret; set ` +
      "TOLLGATE_SECRET, or the file secret in TOLLGATE_DATA, to that of the other gateways"
  })

const checked = (place: Place) =>
  Layer.effectDiscard(
    Effect.andThen(
      refuseMoved(place),
      Effect.catchTag(checkSecret, "SecretDiffers", () => Effect.fail(otherSecret(place)))
    )
  )

type Client = Layer.Layer<SqlClient, SqlError>

const clientFor = (
  { data, store }: Place,
  { watchesFiles, ...options }: Omit<PostgresClient.Options, "address"> & { readonly watchesFiles?: boolean } = {}
): Client =>
  store === undefined
    ? NodeSqliteClient.layer({ filename: dataFolder.databaseIn(data), watchesFiles })
    : PostgresClient.layer({ ...options, address: store })

/** For long reads, while a gateway writes. */
export const readOnlyClient = ({ data, store }: Pick<Place, "data" | "store">): Client =>
  store === undefined
    ? NodeSqliteClient.layer({ filename: dataFolder.databaseIn(data), readonly: true })
    : PostgresClient.layer({ address: store, maxConnections: 1, statementTimeout: 0 })

const composed = <R = never>(
  place: Place,
  client: Client,
  accessTokens?: Layer.Layer<AccessTokens, never, R> | undefined
) =>
  Layer.unwrap(
    Effect.map(secretOf(place), (secret) =>
      checked(place).pipe(
        Layer.provideMerge(Composition.layerStore(secret, accessTokens)),
        Layer.provideMerge(client),
        Layer.provide(NodeDigest.layer)
      )
    )
  )

/** The store with the accounts and keys in it, for commands, also while a gateway runs. */
export const store = (place: Place) => composed(place, clientFor(place))

/** The embedded store is for one gateway at a time: a second would take the calls of the first for left by a crash. */
const heldFolder = ({ data, secret }: Place) =>
  Layer.effectDiscard(Effect.andThen(dataFolder.open(data, secret), dataFolder.hold(data)))

/** The store of a running gateway, which it shares with others only in PostgreSQL. */
export const gatewayStore = <R>(
  place: Place & Pick<Settings, "deadSeconds" | "digest" | "limitsFallback" | "redis">,
  accessTokens: Layer.Layer<AccessTokens, never, R> | undefined
) => {
  const deadMillis = place.deadSeconds * 1_000
  // A transaction of a gateway that hangs must not keep others from settling what it left.
  const client = clientFor(place, { watchesFiles: true, idleInTransactionTimeout: deadMillis * 0.8 })
  const made = composed(place, client, accessTokens)
  const limits = Layer.provideMerge(limitStore(place), Layer.succeed(LimitsFallback, place.limitsFallback))
  if (place.store === undefined) {
    return limits.pipe(Layer.provideMerge(Fleet.layerAlone), Layer.provideMerge(Layer.provide(made, heldFolder(place))))
  }
  const gateway = { name: `${hostname()}:${process.pid}`, version: version(), config: place.digest ?? "" }
  return limits.pipe(
    Layer.provideMerge(FleetSql.layer(gateway)),
    Layer.provide(Layer.succeed(FleetSql.FleetTimes, { deadMillis, beatMillis: deadMillis / 4 })),
    Layer.provideMerge(made),
    Layer.provideMerge(PostgresNotices.layer(place.store))
  )
}
