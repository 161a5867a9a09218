import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { EmbeddedStore } from "../store/EmbeddedStore.ts"
import * as Rows from "../store/rows.ts"
import { Fleet } from "./Fleet.ts"
import * as GatewayRows from "./gatewayRows.ts"

const smallBytes = 8
/** More than a commit of the ledger needs. */
const roomBytes = 131_072

/** Random, because SQLite writes nothing if a row stays as it is. */
const writeFact = (bytes: number) => ({
  text:
    "INSERT INTO facts (name, value) VALUES ('probe', hex(randomblob(?)))" +
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  values: [bytes]
})

export interface Options {
  /** Asks for room to spare, so that a disk that is nearly full does not look well and full in turns. */
  readonly withRoom: boolean
}

/** Returns an effect that writes what nobody reads, to learn whether the ledger could be written now. */
export const make: Effect.Effect<(options: Options) => Effect.Effect<void, SqlError>, never, SqlClient | Fleet> =
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const fleet = yield* Fleet
    const embedded = yield* Effect.serviceOption(EmbeddedStore)
    if (Option.isNone(embedded)) {
      const rows = GatewayRows.makeRows(Rows.make(sql))
      return () => Effect.suspend(() => Effect.asVoid(rows.beat(fleet.owner())))
    }
    const { exclusively, transact } = embedded.value
    const write = (bytes: number) =>
      exclusively(() =>
        transact({
          reads: [],
          decide: () => ({ result: undefined, writes: [writeFact(bytes)] }),
          beforeCommit: () => {},
          skipFsync: true
        })
      )
    return ({ withRoom }: Options) =>
      withRoom ? Effect.andThen(write(roomBytes), write(smallBytes)) : write(smallBytes)
  })
