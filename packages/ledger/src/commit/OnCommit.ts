import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Journal } from "./journal/Journal.ts"

/** Is told what the ledger writes. */
export interface CommitListener {
  /** A group of so many commands was committed, or failed to be. */
  readonly committed: (commands: number, seconds: number, hasFailed: boolean) => void
  /** Entries of the journal were moved into the tables. */
  readonly checkpointed: (entries: number, seconds: number) => void
  /** Called once, by a ledger with a journal: how many entries it has at the moment. */
  readonly journalIs: (entries: () => number) => void
  /** Called once: how many calls wait for money at the moment. */
  readonly waitingIs: (calls: () => number) => void
}

/** Without a listener no time is taken. */
export const OnCommit = Context.Reference<CommitListener | undefined>("@tollgate/ledger/OnCommit", {
  defaultValue: () => undefined
})

const secondsSince = (clock: Clock.Clock, start: bigint): number =>
  Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9

type Commit<Command, A, E> = (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<A>, E>

/** A command without a result is not committed yet. */
const isCommitted = (result: unknown): boolean => result !== undefined

/** Returns a function that measures each commit of another one, if somebody listens. */
export const observeCommits = Effect.gen(function* () {
  const listener = yield* OnCommit
  const clock = yield* Clock.Clock
  return <Command, A, E>(commit: Commit<Command, A, E>): Commit<Command, A, E> => {
    if (listener === undefined) return commit
    return (commands) =>
      Effect.suspend(() => {
        const start = clock.monotonicTimeNanosUnsafe()
        return Effect.onExit(commit(commands), (exit) => {
          const count = Exit.isFailure(exit) ? commands.length : exit.value.filter(isCommitted).length
          if (count > 0) listener.committed(count, secondsSince(clock, start), Exit.isFailure(exit))
          return Effect.void
        })
      })
  }
})

/** Measures each checkpoint that moves something. */
export const observeCheckpoints = (journal: Journal, listener: CommitListener, clock: Clock.Clock): Journal => {
  listener.journalIs(journal.pending)
  const observed = (move: () => void) => () => {
    const entries = journal.pending()
    const start = clock.monotonicTimeNanosUnsafe()
    move()
    if (entries > 0) listener.checkpointed(entries, secondsSince(clock, start))
  }
  return { ...journal, checkpoint: observed(journal.checkpoint), makeRoom: observed(journal.makeRoom) }
}
