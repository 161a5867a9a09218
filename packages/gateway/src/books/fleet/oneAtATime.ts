import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** Runs the effect in a transaction, while no other gateway runs one under the same name. An embedded store has no others. */
export const oneAtATime =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R | SqlClient> =>
    SqlClient.use((sql) =>
      sql.onDialectOrElse({
        pg: (): Effect.Effect<A, E | SqlError, R> =>
          sql.withTransaction(
            Effect.andThen(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`tollgate ${name}`}, 0))`, effect)
          ),
        orElse: () => effect
      })
    )
