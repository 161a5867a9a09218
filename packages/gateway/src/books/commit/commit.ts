import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { transactAsOwner } from "../fleet/fence.ts"
import type { Fleet } from "../fleet/Fleet.ts"
import { OnMilestone } from "../ledger/Milestone.ts"
import { observeCheckpoints } from "./observeCommits.ts"
import { OnCommit } from "./OnCommit.ts"
import { EmbeddedStore } from "../store/EmbeddedStore.ts"
import { PipelinedStore } from "../store/PipelinedStore.ts"
import * as Statements from "../store/statements.ts"
import * as Transaction from "../store/Transaction.ts"
import { Webhooks } from "../outbox/Endpoints.ts"
import { make as makeTell } from "../outbox/tell.ts"
import type { Command, Result } from "../ledger/Command.ts"
import * as Checkpoint from "./journal/Checkpoint.ts"
import * as Journal from "./journal/Journal.ts"
import { commitGroup, isLeft } from "./postgres/commitGroup.ts"
import * as FoldUsage from "./postgres/foldUsage.ts"
import * as Tables from "./tables.ts"

type CommitTo<A> = (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<A>, SqlError>

/** Commits a group of commands and returns a result for each. */
export interface Commit {
  readonly all: CommitTo<Result>
  /** Commits what it can in one round trip. Commands without a result are left for `all`. */
  readonly ordinary: CommitTo<Result | undefined> | undefined
}

/** Commits through the journal if the store is embedded, otherwise straight into the tables. */
export const make = Effect.fnUntraced(function* (
  sql: SqlClient,
  fleet: Fleet["Service"]
): Effect.fn.Return<Commit, never, Scope> {
  const reached = yield* OnMilestone
  const statements = Statements.make(sql)
  const beforeCommit = () => reached("committing")
  const endpoints = yield* Webhooks
  const tell = makeTell(statements, endpoints)
  const embedded = yield* Effect.serviceOption(EmbeddedStore)

  if (Option.isNone(embedded)) {
    const pipelined = Option.getOrUndefined(yield* Effect.serviceOption(PipelinedStore))
    const transact = transactAsOwner(fleet, pipelined?.transact ?? Transaction.statementByStatement(sql))
    const writeTables = Tables.make(statements, beforeCommit, tell)
    const scheduleFold = statements.isPostgres ? yield* FoldUsage.schedule(sql) : () => {}
    const committed = <A>(results: A): A => {
      scheduleFold()
      reached("committed")
      return results
    }
    const runAlone = pipelined?.runAlone
    return {
      all: (commands) => {
        const transaction = (owner: string) => writeTables(commands, owner)
        return Effect.map(transact(transaction), committed)
      },
      ordinary:
        runAlone &&
        ((commands) =>
          Effect.suspend(() => {
            const left = Effect.sync(() => commands.map(() => undefined))
            const group = commitGroup(commands, endpoints.watch)
            if (group === undefined) return left
            beforeCommit()
            const ran = fleet.asOwner((owner) => runAlone(group.statement(owner, fleet.isAlone)))
            return Effect.matchEffect(ran, {
              onSuccess: ([row = {}]) => Effect.sync(() => committed(group.results(row))),
              onFailure: (error) => (isLeft(error) ? left : Effect.fail(error))
            })
          }))
    }
  }

  const store = embedded.value
  const listener = yield* OnCommit
  const made = Journal.make(store, statements, beforeCommit, tell)
  const journal = listener === undefined ? made : observeCheckpoints(made, listener, yield* Clock.Clock)
  const scheduleCheckpoint = yield* Checkpoint.schedule(store, journal)
  const committed = (results: ReadonlyArray<Result>) => {
    scheduleCheckpoint()
    reached("committed")
    return results
  }
  return {
    all: (commands) =>
      Effect.map(
        store.exclusively(() => journal.commit(commands, fleet.owner())),
        committed
      ),
    ordinary: undefined
  }
})
