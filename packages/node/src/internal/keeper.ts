import type { Ask, Command, Result } from "@tollgate/gateway/ledger/Command"
import { Keeper } from "@tollgate/gateway/ledger/Keeper"
import { OnMilestone } from "@tollgate/gateway/milestone"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { SqlError } from "effect/sql/SqlError"
import type { Worker } from "node:worker_threads"
import { commandSent, outcomeOf } from "./keeperMessage.ts"
import { start, type Thread, unavailable } from "./keeperThread.ts"

const longestPause = 2_000

/** Of a worker that ends again and again; after the first time there is none. */
const pauseAfter = (ends: number): number => (ends < 2 ? 0 : Math.min(50 * 2 ** ends, longestPause))

const open = Effect.fnUntraced(function* (spawn: () => Worker) {
  const [thread, first] = yield* start(spawn)
  yield* outcomeOf(first, [])
  return thread
})

/** A keeper whose commits are made by a worker, and by another where that one has ended. */
export const make = Effect.fnUntraced(function* (spawn: () => Worker) {
  const reached = yield* OnMilestone
  const turn = Semaphore.makeUnsafe(1)
  let thread: Thread | undefined = yield* open(spawn)
  let ends = 0
  let notBefore = 0
  let closed = false
  /**
   * Reservations whose worker ended before it said whether it made them. Their requests were refused, so nothing was sent
   * and nothing else will end them.
   */
  let doubtful: ReadonlyArray<Ask<"reserve">> = []

  const running: Effect.Effect<Thread, SqlError> = Effect.gen(function* () {
    if (closed) return yield* unavailable("the ledger is closed")
    if (thread !== undefined && !thread.ended()) return thread
    const now = yield* Clock.currentTimeMillis
    if (now < notBefore) return yield* unavailable("the ledger's worker will be started again")
    notBefore = now + pauseAfter(++ends)
    return (thread = yield* open(spawn))
  })

  const ask = Effect.fnUntraced(function* (thread: Thread, commands: ReadonlyArray<Command>, owner: string) {
    const reply = yield* Effect.tapError(thread.ask({ commands: commands.map(commandSent), owner }), () =>
      Effect.sync(() => {
        doubtful = [...doubtful, ...commands.filter((command) => command.ask === "reserve")]
      })
    )
    return yield* outcomeOf(reply, commands)
  })

  const commit = Effect.fnUntraced(function* (commands: ReadonlyArray<Command>, owner: string) {
    const thread = yield* running
    if (doubtful.length > 0) {
      yield* ask(
        thread,
        doubtful.map(({ now, reservation }) => ({ ask: "release", now, reservation, status: 503 })),
        owner
      )
      doubtful = []
    }
    const results: ReadonlyArray<Result> = yield* ask(thread, commands, owner)
    ends = 0
    reached("committed")
    return results
  })

  yield* Effect.addFinalizer(() =>
    turn.withPermit(
      Effect.suspend(() => {
        closed = true
        return thread === undefined || thread.ended() ? Effect.void : thread.close
      })
    )
  )

  return Keeper.of({
    // Seen to its end: a commit that was left would go on, and what it did would be known to nobody.
    commit: (commands, owner) => Effect.uninterruptible(turn.withPermit(commit(commands, owner)))
  })
})
