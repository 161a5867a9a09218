import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "./rows.ts"
import type { Statement } from "./statements.ts"
import type { Transact } from "./Transaction.ts"

/** A store over the network that several gateways share. Its driver provides this beside `SqlClient`. */
export class PipelinedStore extends Context.Service<
  PipelinedStore,
  {
    /** Runs a transaction in two round trips: its reads are sent together, and its writes together with the COMMIT. */
    readonly transact: Transact
    /** Runs one statement in a transaction of its own, in one round trip: the ledger calls `commit_commands` by it. */
    readonly runAlone: (statement: Statement) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  }
>()("@tollgate/ledger/store/PipelinedStore") {}
