import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type CommitListener, OnCommit } from "./OnCommit.ts"

const secondsSince = (clock: Clock.Clock, start: bigint): number =>
  Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9

/** Measures each commit, if somebody listens. */
export const observeCommits = Effect.fnUntraced(function* <Command, Result, E>(
  commit: (commands: ReadonlyArray<Command>) => Effect.Effect<Result, E>
) {
  const listener = yield* OnCommit
  if (listener === undefined) return commit
  const clock = yield* Clock.Clock
  return (commands: ReadonlyArray<Command>): Effect.Effect<Result, E> =>
    Effect.suspend(() => {
      const start = clock.monotonicTimeNanosUnsafe()
      return Effect.onExit(commit(commands), (exit) => {
        listener.committed(commands.length, secondsSince(clock, start), Exit.isFailure(exit))
        return Effect.void
      })
    })
})

/** Measures each checkpoint that moves something. */
export const observeCheckpoints = <Journal extends { readonly checkpoint: () => void; readonly pending: () => number }>(
  journal: Journal,
  listener: CommitListener,
  clock: Clock.Clock
): Journal => {
  listener.journalIs(journal.pending)
  return {
    ...journal,
    checkpoint: () => {
      const entries = journal.pending()
      const start = clock.monotonicTimeNanosUnsafe()
      journal.checkpoint()
      if (entries > 0) listener.checkpointed(entries, secondsSince(clock, start))
    }
  }
}
