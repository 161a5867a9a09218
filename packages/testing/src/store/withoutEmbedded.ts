import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { Store } from "./Driver.ts"

/** The same store without `EmbeddedStore`, as a driver over the network would provide it. */
export const withoutEmbedded = (store: Store): Store =>
  Layer.effect(SqlClient, Effect.map(Layer.build(store), Context.get(SqlClient)))
