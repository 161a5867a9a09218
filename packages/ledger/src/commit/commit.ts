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
import type { Statement } from "../store/statements.ts"
import { Webhooks } from "../outbox/Endpoints.ts"
import { makeTell } from "../outbox/insertEvents.ts"
import type { Command, Result, CommandOf } from "../ledger/Command.ts"
import * as Checkpoint from "./journal/Checkpoint.ts"
import * as Journal from "./journal/Journal.ts"
import * as FoldUsage from "./postgres/foldUsage.ts"
import * as Tables from "./tables.ts"
import { isRepeat } from "./attempts.ts"
import { mayTell, type Watch } from "../ledger/LedgerEvent.ts"
import { Balances } from "../ledger/Balances.ts"
import { apply, openCall } from "../ledger/Transition.ts"
import { isRaised, type Row, text } from "../store/rows.ts"
import { argumentsOf, declared, ownersOf } from "./postgres/parameters.ts"

type End = CommandOf<"settle" | "release" | "refuse" | "mark_unknown">

/** A command and its position in the group. */
interface At<C> {
  readonly at: number
  readonly command: C
}

interface Ordinary {
  readonly ends: ReadonlyArray<At<End>>
  readonly reserves: ReadonlyArray<At<CommandOf<"reserve">>>
}

const isEnd = (command: Command): command is End => {
  switch (command.kind) {
    case "settle":
      return command.task === undefined && command.settled.also === undefined
    case "release":
    case "mark_unknown":
      return command.task === undefined
    case "refuse":
      return true
    default:
      return false
  }
}

/**
 * The commands that the store may decide, if it finds nothing unusual. Available out are those whose result depends on another
 * command of the group or on an earlier attempt, and those that may be told of: the rules see these together and in order.
 */
const ordinaryOf = (commands: ReadonlyArray<Command>, watch?: Watch): Ordinary => {
  const calls = new Map<string, number>()
  for (const { reservation } of commands) calls.set(reservation.call, (calls.get(reservation.call) ?? 0) + 1)
  const ends: Array<At<End>> = []
  /** Accounts whose reservations wait for another command. */
  const waiting = new Set<string>()
  commands.forEach((command, at) => {
    if (command.kind === "reserve") return
    const { account, call } = command.reservation
    const isOrdinary = isEnd(command) && !mayTell(watch, command)
    if (isOrdinary && calls.get(call) === 1) ends.push({ at, command })
    // It may change a balance, also if it begins a task: a call that the store has forgotten is reserved again.
    else waiting.add(account)
  })
  // Two gateways may end the same calls, if one of them was taken for dead: in one order they do not deadlock.
  ends.sort((a, b) => (a.command.reservation.call < b.command.reservation.call ? -1 : 1))
  const claims = new Set<string>()
  const reserves: Array<At<CommandOf<"reserve">>> = []
  commands.forEach((command, at) => {
    if (command.kind !== "reserve") return
    const { idempotency, reservation } = command
    if (isRepeat(command)) return
    const isFirst = idempotency === undefined || !claims.has(idempotency.id)
    if (idempotency !== undefined) claims.add(idempotency.id)
    if (isFirst && calls.get(reservation.call) === 1 && !waiting.has(reservation.account))
      reserves.push({ at, command })
  })
  return { ends, reserves }
}

/** The ordinary commands of a group, which the store decides and commits in one statement. */
interface OrdinaryGroup {
  /** Fails and writes nothing if `owner` is not registered, unless it is alone. */
  readonly statement: (owner: string, isAlone: boolean) => Statement
  /** Reads the statement's row. A command without a result was left untouched. */
  readonly results: (row: Row) => ReadonlyArray<Result | undefined>
}

/** Whether the store has left all commands untouched. */
const isLeft = (error: SqlError): boolean => isRaised(error, "TG002")

/** One string: the driver finds a prepared statement faster by it. */
const call = `SELECT * FROM commit_commands(${declared.map((_, i) => `$${i + 1}`).join(", ")})`

const positionsIn = (array: string): ReadonlyArray<number> =>
  array === "{}" ? [] : array.slice(1, -1).split(",").map(Number)

/** `undefined`: no command of the group is ordinary. */
const commitGroup = (commands: ReadonlyArray<Command>, watch?: Watch): OrdinaryGroup | undefined => {
  const { ends, reserves } = ordinaryOf(commands, watch)
  if (ends.length === 0 && reserves.length === 0) return undefined
  // What an end charges does not depend on balances: these stay empty.
  const balances = new Balances()
  const applied = ends.map(({ command }) => apply(balances, new Map(), command, openCall(command.reservation)))
  const values = argumentsOf({
    ...ownersOf(commands),
    ends: applied,
    reserves: reserves.map(({ command }) => command),
    isWhole: ends.length + reserves.length === commands.length
  })
  return {
    statement: (owner, isAlone) => ({ text: call, values: values(owner, isAlone) }),
    results: (row) => {
      const results = Array<Result | undefined>(commands.length).fill(undefined)
      ends.forEach(({ at }, i) => void (results[at] = applied[i]!.after.charge))
      reserves.forEach(({ at, command }) => void (results[at] = { kind: "reserved", reservation: command.reservation }))
      for (const position of positionsIn(text(row, "t_left"))) results[ends[position - 1]!.at] = undefined
      for (const position of positionsIn(text(row, "r_left"))) results[reserves[position - 1]!.at] = undefined
      return results
    }
  }
}

type CommitTo<A> = (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<A>, SqlError>

export interface Commit {
  readonly all: CommitTo<Result>
  /** Commits what it can in one round trip. Commands without a result are left for `all`. */
  readonly ordinary: CommitTo<Result | undefined> | undefined
}

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
