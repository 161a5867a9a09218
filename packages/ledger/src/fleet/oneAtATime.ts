import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "../store/rows.ts"

/** Runs the effect in a transaction, while no other gateway runs one under the same name. An embedded store has no others. */
export const oneAtATime =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R | SqlClient> =>
    SqlClient.use((sql): Effect.Effect<A, E | SqlError, R> => {
      const { dialect, lockName } = Rows.make(sql)
      return dialect.isShared ? sql.withTransaction(Effect.andThen(lockName(`tollgate ${name}`), effect)) : effect
    })
