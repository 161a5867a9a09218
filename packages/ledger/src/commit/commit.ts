import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { type Fleet, transactAsOwner } from "../fleet/Fleet.ts"
import { OnMilestone } from "../ledger/Ledger.ts"
import { observeCheckpoints, OnCommit } from "./OnCommit.ts"
import { EmbeddedStore } from "../store/EmbeddedStore.ts"
import { PipelinedStore } from "../store/Transaction.ts"
import * as Statements from "../store/statements.ts"
import { Webhooks } from "../outbox/Endpoints.ts"
import { makeTell } from "../outbox/insertEvents.ts"
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

/** Commits to the journal of an embedded store. */
const toJournal = Effect.fnUntraced(function* (
  store: EmbeddedStore["Service"],
  sql: SqlClient,
  fleet: Fleet["Service"]
): Effect.fn.Return<Commit, never, Scope> {
  const reached = yield* OnMilestone
  const statements = Statements.make(sql)
  const tell = makeTell(statements, yield* Webhooks)
  const listener = yield* OnCommit
  const made = Journal.make(store, statements, reached && (() => reached("committing")), tell)
  const journal = listener === undefined ? made : observeCheckpoints(made, listener, yield* Clock.Clock)
  const scheduleCheckpoint = yield* Checkpoint.schedule(store, journal)
  return {
    all: (commands) =>
      store.exclusively(() => {
        const results = journal.commit(commands, fleet.owner())
        scheduleCheckpoint()
        reached?.("committed")
        return results
      }),
    ordinary: undefined
  }
})

/** Commits by `commit_commands`, and what that leaves by the rules in TypeScript, straight into the tables. */
const toTables = Effect.fnUntraced(function* (
  store: PipelinedStore["Service"],
  sql: SqlClient,
  fleet: Fleet["Service"]
): Effect.fn.Return<Commit, never, Scope> {
  const reached = yield* OnMilestone
  const beforeCommit = reached && (() => reached("committing"))
  const statements = Statements.make(sql)
  const endpoints = yield* Webhooks
  const transact = transactAsOwner(fleet, store.transact)
  const writeTables = Tables.make(statements, beforeCommit, makeTell(statements, endpoints))
  const scheduleFold = yield* FoldUsage.schedule(sql)
  const committed = <A>(results: A): A => {
    scheduleFold()
    reached?.("committed")
    return results
  }
  return {
    all: (commands) => {
      const transaction = (owner: string) => writeTables(commands, owner)
      return Effect.map(transact(transaction), committed)
    },
    ordinary: (commands) =>
      Effect.suspend(() => {
        const left = Effect.sync(() => commands.map(() => undefined))
        const group = commitGroup(commands, endpoints.watch)
        if (group === undefined) return left
        beforeCommit?.()
        const ran = fleet.asOwner((owner) => store.runAlone(group.statement(owner, fleet.isAlone)))
        return Effect.matchEffect(ran, {
          onSuccess: ([row = {}]) => Effect.sync(() => committed(group.results(row))),
          onFailure: (error) => (isLeft(error) ? left : Effect.fail(error))
        })
      })
  }
})

/** Each store has one way to commit, which follows from what its driver provides. */
export const make = Effect.fnUntraced(function* (sql: SqlClient, fleet: Fleet["Service"]) {
  const embedded = yield* Effect.serviceOption(EmbeddedStore)
  if (Option.isSome(embedded)) return yield* toJournal(embedded.value, sql, fleet)
  const pipelined = yield* Effect.serviceOption(PipelinedStore)
  if (Option.isSome(pipelined)) return yield* toTables(pipelined.value, sql, fleet)
  return yield* Effect.die(new Error("The store's driver provides neither EmbeddedStore nor PipelinedStore."))
})
