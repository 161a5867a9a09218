import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

interface Waiting<Command, Result> {
  readonly command: Command
  readonly done: (exit: Exit.Exit<Result, unknown>) => void
}

const interrupted = Exit.failCause(Cause.interrupt())

/** The largest group: a transaction blocks the process. */
const maxMembers = 1_000

/** How long a group waits for more members, as long as each tick of the event loop brings some. */
const maxWaitMillis = 2

export interface Steps<Command, Result, E> {
  /** Returns one result for each command of a group, or fails as a whole. */
  readonly all: (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Result>, E>
  /** Runs before `all` if it is given. Commands without a result are left for `all`; the others are committed. */
  readonly ordinary?:
    | ((commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Result | undefined>, E>)
    | undefined
  /** Whether the failure says that the store cannot be reached, so that no other command would succeed now. */
  readonly isGone?: ((error: E) => boolean) | undefined
}

/** Commits a command. `then` makes of its result what the caller gets, without a step of the caller's fiber. */
interface Submit<Command, Result, E> {
  (command: Command): Effect.Effect<Result, E>
  <A, F>(command: Command, then: (exit: Exit.Exit<Result, E>) => Effect.Effect<A, F>): Effect.Effect<A, F>
}

const asItIs = <A>(exit: A): A => exit

/** So many commands of a group try alone before the others fail with them: each may wait for seconds. */
const maxGone = 2

/** Group commit: commands that arrive while a group is being committed share the next transaction and its fsync. */
export const make = Effect.fnUntraced(function* <Command, Result, E>({
  all,
  isGone = () => false,
  ordinary
}: Steps<Command, Result, E>): Effect.fn.Return<Submit<Command, Result, E>, never, Scope.Scope> {
  type Member = Waiting<Command, Result>
  type Failed = Cause.Cause<E> | undefined
  const notFailed: Effect.Effect<Failed> = Effect.succeed(undefined)
  let waiting: Array<Member> = []
  let committing: Fiber.Fiber<Failed> | undefined
  /** While commands come one at a time, the first of each tick is committed at once, without waiting for others. */
  let isQuiet = true
  let isFirst = true
  /** How many waited at the last count, and since when the first of them does. */
  let counted = 0
  let since = 0
  let closed = false
  const mayCommit = yield* Latch.make(false)
  const clock = yield* Effect.clockWith(Effect.succeed)
  const run = Effect.runForkWith(yield* Effect.context<never>())

  /** One command must not fail the others of its group: each is committed alone, unless the store is gone. */
  const eachAlone = Effect.fnUntraced(function* (members: ReadonlyArray<Member>) {
    let gone: Failed
    let count = 0
    for (const member of members) {
      if (gone !== undefined && count === maxGone) {
        member.done(Exit.failCause(gone))
        continue
      }
      gone = yield* group([member])
      count = gone === undefined ? 0 : count + 1
    }
    return gone
  })

  /** Ends the members that have a result, and goes on with the others by `all`. Returns the failure of a store that is gone. */
  const group = (
    members: ReadonlyArray<Member>,
    commit: NonNullable<typeof ordinary> = ordinary ?? all
  ): Effect.Effect<Failed> => {
    const commands: Array<Command> = []
    for (const { command } of members) commands.push(command)
    return Effect.matchCauseEffect(commit(commands), {
      onSuccess: (results) => {
        const left: Array<Member> = []
        for (const [i, member] of members.entries()) {
          const result = results[i]
          if (result === undefined) left.push(member)
          else member.done(Exit.succeed(result))
        }
        return left.length === 0 ? notFailed : group(left, all)
      },
      onFailure: (cause) => {
        if (members.length > 1) return eachAlone(members)
        members[0]?.done(Exit.failCause(cause))
        const error = Cause.findErrorOption(cause)
        return Option.isSome(error) && isGone(error.value) ? Effect.succeed(cause) : notFailed
      }
    })
  }

  /** Runs in a fiber of its own, which no member can interrupt. */
  const start = (members: ReadonlyArray<Member>): void => {
    isFirst = false
    const fiber = run(group(members))
    const onEnd = () => {
      committing = undefined
      mayCommit.openUnsafe()
    }
    if (fiber.pollUnsafe() !== undefined) return onEnd()
    committing = fiber
    fiber.addObserver(onEnd)
  }

  yield* Effect.forever(
    Effect.suspend(() => {
      if (waiting.length === 0 || committing !== undefined) {
        isFirst = true
        mayCommit.closeUnsafe()
        return mayCommit.await
      }
      if (waiting.length > counted) {
        const now = clock.currentTimeMillisUnsafe()
        if (counted === 0) since = now
        if (now - since < maxWaitMillis) {
          counted = waiting.length
          return Effect.yieldNow
        }
      }
      counted = 0
      isQuiet = waiting.length === 1 && isFirst
      start(waiting.splice(0, maxMembers))
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

  const submit = (command: Command, then: (exit: Exit.Exit<Result, E>) => Effect.Effect<unknown, unknown> = asItIs) =>
    Effect.callback<unknown, unknown>((resume) => {
      if (closed) return resume(interrupted)
      const member: Member = { command, done: (exit) => resume(then(exit as Exit.Exit<Result, E>)) }
      if (isQuiet && isFirst && committing === undefined) return start([member])
      waiting.push(member)
      if (committing === undefined) mayCommit.openUnsafe()
    })
  return submit as Submit<Command, Result, E>
})
