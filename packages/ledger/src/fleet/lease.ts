import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "../store/rows.ts"
import { now } from "./gatewayRows.ts"

const pauseMillis = 100

/**
 * Runs the effect while no other gateway runs one under the same name, for what asks others and takes long: it holds no
 * connection meanwhile. If this gateway dies, the lease ends by itself after `millis`. An embedded store has no others.
 */
export const underLease = (
  sql: SqlClient,
  name: string,
  millis: number
): (<A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>) => {
  const { dialect, literal, query } = Rows.make(sql)
  const fact = `lease ${name}`

  /** The value, if it could be taken: when it ends, and something that only this holder has. */
  const take = Effect.map(
    query`INSERT INTO facts (name, value)
      VALUES (${fact}, (${literal(now)} + ${millis}::bigint)::text || ' ' || gen_random_uuid()::text)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      WHERE split_part(facts.value, ' ', 1)::bigint < ${literal(now)} RETURNING value`,
    ([row]) => (row === undefined ? undefined : Rows.text(row, "value"))
  )
  const acquire: Effect.Effect<string, SqlError> = Effect.flatMap(take, (value) =>
    value === undefined
      ? Effect.delay(
          Effect.suspend(() => acquire),
          pauseMillis
        )
      : Effect.succeed(value)
  )
  const release = (value: string) => Effect.ignore(query`DELETE FROM facts WHERE name = ${fact} AND value = ${value}`)

  return (effect) =>
    dialect.isShared ? Effect.flatMap(acquire, (value) => Effect.ensuring(effect, release(value))) : effect
}

/** Runs the effect in a transaction, while no other gateway runs one under the same name. An embedded store has no others. */
export const oneAtATime =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R | SqlClient> =>
    SqlClient.use((sql): Effect.Effect<A, E | SqlError, R> => {
      const { dialect, lockName } = Rows.make(sql)
      return dialect.isShared ? sql.withTransaction(Effect.andThen(lockName(`tollgate ${name}`), effect)) : effect
    })
