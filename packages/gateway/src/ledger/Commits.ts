import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
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
  type Member = Waiting<Command, Result>
  let waiting: Array<Member> = []
  let committing: Fiber.Fiber<void> | undefined
  /** Where commands come one at a time, they do not wait for others: the first of each turn is committed at once. */
  let isQuiet = true
  let isFirst = true
  /** How many waited when they were last counted, and since when the first does. */
  let seen = 0
  let since = 0
  let closed = false
  const mayCommit = yield* Latch.make(false)
  const clock = yield* Effect.clockWith(Effect.succeed)
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const group = (members: ReadonlyArray<Member>): Effect.Effect<void> =>
    Effect.matchCauseEffect(commit(members.map(({ command }) => command)), {
      onSuccess: (results) => {
        members.forEach(({ done }, i) => done(Exit.succeed(results[i]!)))
        return Effect.void
      },
      onFailure: (cause) => {
        // One command must not fail its neighbours: each has its own try.
        if (members.length > 1) return Effect.forEach(members, (member) => group([member]), { discard: true })
        members[0]?.done(Exit.failCause(cause))
        return Effect.void
      }
    })

  /** In a fiber of its own, which nobody interrupts: its members are waiting for it. */
  const start = (members: ReadonlyArray<Member>): void => {
    isFirst = false
    const fiber = run(group(members))
    const ended = () => {
      committing = undefined
      mayCommit.openUnsafe()
    }
    if (fiber.pollUnsafe() !== undefined) return ended()
    committing = fiber
    fiber.addObserver(ended)
  }

  yield* Effect.forever(
    Effect.suspend(() => {
      if (waiting.length === 0 || committing !== undefined) {
        isFirst = true
        mayCommit.closeUnsafe()
        return mayCommit.await
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
      isQuiet = waiting.length === 1 && isFirst
      start(waiting.splice(0, mostMembers))
      return Effect.yieldNow
    })
  ).pipe(Effect.forkScoped)

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closed = true
      for (const { done } of waiting) done(interrupted)
      waiting = []
      return committing === undefined ? Effect.void : Fiber.await(committing)
    })
  )

  return (command) =>
    Effect.callback<Result, E>((resume) => {
      if (closed) return resume(interrupted)
      const member: Member = { command, done: (exit) => resume(exit as Exit.Exit<Result, E>) }
      if (isQuiet && isFirst && committing === undefined) return start([member])
      waiting.push(member)
      if (committing === undefined) mayCommit.openUnsafe()
    })
})
