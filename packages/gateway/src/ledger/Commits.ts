import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"

interface Waiting<Command, Result> {
  readonly command: Command
  readonly done: (exit: Exit.Exit<Result, unknown>) => void
}

const interrupted = Exit.failCause(Cause.interrupt())

/** In one transaction: others wait meanwhile, and whatever else the process does. */
const mostMembers = 1_000

/** For others to join, as long as in each turn of the event loop some do. */
const patienceMillis = 2

/**
 * Group commit. Commands that arrive while others are being committed wait, and then share one transaction: many requests,
 * one write to disk. `commit` runs a group and gives each command its result, all or none.
 */
export const make = Effect.fnUntraced(function* <Command, Result, E>(
  commit: (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Result>, E>
): Effect.fn.Return<(command: Command) => Effect.Effect<Result, E>, never, Scope.Scope> {
  let waiting: Array<Waiting<Command, Result>> = []
  const some = yield* Latch.make(false)
  const clock = yield* Effect.clockWith(Effect.succeed)
  /** How many waited when they were last counted, and since when the first does. */
  let seen = 0
  let since = 0

  const group = Effect.fnUntraced(function* (members: ReadonlyArray<Waiting<Command, Result>>) {
    const exit = yield* Effect.exit(commit(members.map(({ command }) => command)))
    if (Exit.isSuccess(exit)) members.forEach(({ done }, i) => done(Exit.succeed(exit.value[i]!)))
    // One command must not fail its neighbours: each has its own try.
    else if (members.length > 1) for (const member of members) yield* group([member])
    else members[0]?.done(Exit.failCause(exit.cause))
  }) as (members: ReadonlyArray<Waiting<Command, Result>>) => Effect.Effect<void>

  yield* Effect.forever(
    Effect.suspend(() => {
      if (waiting.length === 0) {
        some.closeUnsafe()
        return some.await
      }
      if (waiting.length > seen) {
        const now = clock.currentTimeMillisUnsafe()
        if (seen === 0) since = now
        if (now - since < patienceMillis) {
          seen = waiting.length
          return Effect.yieldNow
        }
      }
      seen = 0
      const members = waiting.splice(0, mostMembers)
      // A commit that has begun is seen to its end, also when the gateway is closing: its members are waiting for it.
      return Effect.uninterruptible(group(members))
    })
  ).pipe(Effect.forkScoped)

  let closed = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      for (const { done } of waiting) done(interrupted)
      waiting = []
    })
  )

  return (command) =>
    Effect.callback<Result, E>((resume) => {
      if (closed) return resume(interrupted)
      waiting.push({ command, done: (exit) => resume(exit as Exit.Exit<Result, E>) })
      some.openUnsafe()
    })
})
