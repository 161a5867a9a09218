import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "./rows.ts"
import type { Statement } from "./statements.ts"
import type { Transact } from "./Transaction.ts"

/** A store over the network. A driver that can do this provides it beside `SqlClient`. */
export class PipelinedStore extends Context.Service<
  PipelinedStore,
  {
    /** Runs a transaction in two round trips: its reads are sent together, and its writes together with the COMMIT. */
    readonly transact: Transact
    /** Runs one statement in a transaction of its own, in one round trip. With it the ledger uses `commit_commands`. */
    readonly runAlone?: (statement: Statement) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  }
>()("@tollgate/gateway/store/PipelinedStore") {}
