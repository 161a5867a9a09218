import type * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

export type Store = Layer.Layer<SqlClient, SqlError>

/** Opens one more connection to the same database, as another process would. */
export type Connect = () => Store

export interface Driver {
  /** Whether its layer also provides `EmbeddedStore`. */
  readonly embedded: boolean
  /** An empty database for a single connection. It may be in memory. */
  readonly single: () => Store
  /** The same with all migrations, if that is faster than to run them. */
  readonly migrated?: () => Store
  /** An empty database for several connections. */
  readonly shared: () => Connect
  /** How many random histories are tried. 75 by default. */
  readonly histories?: number
}
