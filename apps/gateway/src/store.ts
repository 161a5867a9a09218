import { type AccessTokens, Composition } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as dataFolder from "./dataFolder.ts"
import type { Settings } from "./Settings.ts"

/** The store in the data folder, with the accounts and keys in it: what the server and the commands share. */
export const store = <R = never>(
  settings: Pick<Settings, "data">,
  accessTokens?: Layer.Layer<AccessTokens, never, R> | undefined
) =>
  Layer.unwrap(
    Effect.map(dataFolder.open(settings.data), ({ database, secret }) =>
      Layer.provideMerge(Composition.layerStore(secret, accessTokens), NodeSqliteClient.layer({ filename: database }))
    )
  )

/** The store of a running gateway, which no other gateway can open. */
export const exclusiveStore = <R>(
  settings: Pick<Settings, "data">,
  accessTokens: Layer.Layer<AccessTokens, never, R> | undefined
) =>
  Layer.provide(
    store(settings, accessTokens),
    Layer.effectDiscard(Effect.andThen(dataFolder.open(settings.data), dataFolder.hold(settings.data)))
  )
