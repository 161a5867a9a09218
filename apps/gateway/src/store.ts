import { type AccessTokens, Composition } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as dataFolder from "./dataFolder.ts"
import { holdStore } from "./holdStore.ts"
import type { Settings } from "./Settings.ts"

/** Where the data is: in PostgreSQL at `store`, or in the folder `data`. The folder holds the secret in any case. */
export type Place = Pick<Settings, "data" | "store">

type Client = Layer.Layer<SqlClient, SqlError>

const clientFor = (place: Place, isGateway: boolean): Client =>
  place.store === undefined
    ? NodeSqliteClient.layer({ filename: dataFolder.databaseIn(place.data) })
    : PostgresClient.layer({ address: place.store, isGateway })

/** For long reads, while a gateway writes. */
export const readOnlyClient = ({ data, store }: Place): Client =>
  store === undefined
    ? NodeSqliteClient.layer({ filename: dataFolder.databaseIn(data), readonly: true })
    : PostgresClient.layer({ address: store, maxConnections: 1, statementTimeout: 0 })

const composed = <R = never>(
  place: Place,
  isGateway: boolean,
  accessTokens?: Layer.Layer<AccessTokens, never, R> | undefined
) =>
  Layer.unwrap(
    Effect.map(dataFolder.open(place.data), ({ secret }) =>
      Layer.provideMerge(Composition.layerStore(secret, accessTokens), clientFor(place, isGateway))
    )
  )

/** The store with the accounts and keys in it, for commands, also while a gateway runs. */
export const store = (place: Place) => composed(place, false)

/** The store of a running gateway, which no other gateway can open. */
export const exclusiveStore = <R>(place: Place, accessTokens: Layer.Layer<AccessTokens, never, R> | undefined) =>
  Layer.provide(
    composed(place, true, accessTokens),
    Layer.effectDiscard(Effect.andThen(dataFolder.open(place.data), holdStore(place)))
  )
