import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { transactAsOwner } from "../fleet/fence.ts"
import type { Fleet } from "../fleet/Fleet.ts"
import { OnMilestone } from "../Milestone.ts"
import { EmbeddedStore } from "../store/EmbeddedStore.ts"
import { PipelinedStore } from "../store/PipelinedStore.ts"
import * as Statements from "../store/statements.ts"
import * as Transaction from "../store/Transaction.ts"
import { Webhooks } from "../webhooks/Endpoints.ts"
import { make as makeTell } from "../webhooks/tell.ts"
import type { Command, Result } from "./Command.ts"
import * as Checkpoint from "./journal/Checkpoint.ts"
import * as Journal from "./journal/Journal.ts"
import * as Tables from "./tables.ts"

/** Commits a group of commands and returns a result for each. */
export type Commit = (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Result>, SqlError>

/** Commits through the journal if the store is embedded, otherwise straight into the tables. */
export const make = Effect.fnUntraced(function* (
  sql: SqlClient,
  fleet: Fleet["Service"]
): Effect.fn.Return<Commit, never, Scope> {
  const reached = yield* OnMilestone
  const statements = Statements.make(sql)
  const beforeCommit = () => reached("committing")
  const tell = makeTell(statements, yield* Webhooks)
  const embedded = yield* Effect.serviceOption(EmbeddedStore)

  if (Option.isNone(embedded)) {
    const pipelined = yield* Effect.serviceOption(PipelinedStore)
    const transact = transactAsOwner(
      fleet,
      Option.isSome(pipelined) ? pipelined.value.transact : Transaction.statementByStatement(sql)
    )
    const writeTables = Tables.make(statements, beforeCommit, tell)
    const committed = (results: ReadonlyArray<Result>) => {
      reached("committed")
      return results
    }
    return (commands) =>
      Effect.map(
        transact((owner) => writeTables(commands, owner)),
        committed
      )
  }

  const store = embedded.value
  const journal = Journal.make(store, statements, beforeCommit, tell)
  const scheduleCheckpoint = yield* Checkpoint.schedule(store, journal)
  const committed = (results: ReadonlyArray<Result>) => {
    scheduleCheckpoint()
    reached("committed")
    return results
  }
  return (commands) =>
    Effect.map(
      store.exclusively(() => journal.commit(commands, fleet.owner())),
      committed
    )
})
