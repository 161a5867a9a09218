import { type AccessTokens, Composition, Fleet, FleetSql } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { hostname } from "node:os"
import * as dataFolder from "./dataFolder.ts"
import type { Settings } from "./Settings.ts"
import { version } from "./version.ts"

/** Where the data is: in PostgreSQL at `store`, or in the folder `data`. The folder holds the secret in any case. */
export type Place = Pick<Settings, "data" | "store">

type Client = Layer.Layer<SqlClient, SqlError>

const clientFor = ({ data, store }: Place, options: Omit<PostgresClient.Options, "address"> = {}): Client =>
  store === undefined
    ? NodeSqliteClient.layer({ filename: dataFolder.databaseIn(data) })
    : PostgresClient.layer({ ...options, address: store })

/** For long reads, while a gateway writes. */
export const readOnlyClient = ({ data, store }: Place): Client =>
  store === undefined
    ? NodeSqliteClient.layer({ filename: dataFolder.databaseIn(data), readonly: true })
    : PostgresClient.layer({ address: store, maxConnections: 1, statementTimeout: 0 })

const composed = <R = never>(
  place: Place,
  client: Client,
  accessTokens?: Layer.Layer<AccessTokens, never, R> | undefined
) =>
  Layer.unwrap(
    Effect.map(dataFolder.open(place.data), ({ secret }) =>
      Layer.provideMerge(Composition.layerStore(secret, accessTokens), client)
    )
  )

/** The store with the accounts and keys in it, for commands, also while a gateway runs. */
export const store = (place: Place) => composed(place, clientFor(place))

/** The embedded store is for one gateway at a time: a second would take the calls of the first for left by a crash. */
const heldFolder = (data: string) => Layer.effectDiscard(Effect.andThen(dataFolder.open(data), dataFolder.hold(data)))

/** The store of a running gateway, which it shares with others only in PostgreSQL. */
export const gatewayStore = <R>(
  place: Place & Pick<Settings, "deadSeconds" | "digest">,
  accessTokens: Layer.Layer<AccessTokens, never, R> | undefined
) => {
  const deadMillis = place.deadSeconds * 1_000
  // A transaction of a gateway that hangs must not keep others from settling what it left.
  const client = clientFor(place, { idleInTransactionTimeout: deadMillis * 0.8 })
  const made = composed(place, client, accessTokens)
  if (place.store === undefined) {
    return Layer.provideMerge(Fleet.layerAlone, Layer.provide(made, heldFolder(place.data)))
  }
  const gateway = { name: `${hostname()}:${process.pid}`, version: version(), config: place.digest ?? "" }
  return FleetSql.layer(gateway).pipe(
    Layer.provide(Layer.succeed(FleetSql.FleetTimes, { deadMillis, beatMillis: deadMillis / 4 })),
    Layer.provideMerge(made)
  )
}
