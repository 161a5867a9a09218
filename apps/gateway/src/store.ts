import { AccessTokensSql, Composition } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as dataFolder from "./dataFolder.ts"
import type { Settings } from "./Settings.ts"

/** The store in the data folder, with the accounts and keys in it: what the server and the commands share. */
export const store = (settings: Pick<Settings, "data"> & Partial<Pick<Settings, "oauth">>) =>
  Layer.unwrap(
    Effect.map(dataFolder.open(settings.data), ({ database, secret }) =>
      Layer.provideMerge(
        Composition.layerStore(secret, settings.oauth === undefined ? undefined : AccessTokensSql.layer),
        NodeSqliteClient.layer({ filename: database })
      )
    )
  )

/** The store of a running gateway, which no other gateway can open. */
export const exclusiveStore = (settings: Pick<Settings, "data" | "oauth">) =>
  Layer.provide(
    store(settings),
    Layer.effectDiscard(Effect.andThen(dataFolder.open(settings.data), dataFolder.hold(settings.data)))
  )
