import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

export interface InTransaction {
  /** Whether a transaction is open, as far as it can still be ended. */
  readonly isTransaction: () => boolean
}

const batch = 128
let cursors = 0

type Transform = (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined

/** Reads the rows of a query a batch at a time, in the open transaction or in one of its own. */
export const cursor = (
  connection: Pick<Connection, "executeUnprepared"> & InTransaction,
  text: string,
  params: ReadonlyArray<unknown>,
  transform: Transform
): Stream.Stream<object, SqlError> => {
  const name = `tollgate_${cursors++}`
  const control = (statement: string, values: ReadonlyArray<unknown> = []) =>
    connection.executeUnprepared(statement, values, undefined)
  const isOwn = !connection.isTransaction()
  const open = Effect.andThen(
    isOwn ? control("BEGIN READ ONLY") : Effect.void,
    control(`DECLARE ${name} NO SCROLL CURSOR FOR ${text}`, params)
  )
  const close = Effect.suspend(() =>
    connection.isTransaction() ? Effect.ignore(control(isOwn ? "ROLLBACK" : `CLOSE ${name}`)) : Effect.void
  )
  const next = Effect.flatMap(connection.executeUnprepared(`FETCH ${batch} FROM ${name}`, [], transform), (rows) =>
    isReadonlyArrayNonEmpty(rows) ? Effect.succeed(rows) : Cause.done()
  )
  return Stream.ensuring(Stream.unwrap(Effect.as(open, Stream.fromPull(Effect.succeed(next)))), close)
}
