import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { Watched } from "./Watched.ts"

/** One thing at a time with each task; whoever comes meanwhile waits for the same. It goes on though they leave. */
export const single =
  (scope: Scope.Scope) =>
  (one: Watched, act: (one: Watched) => Effect.Effect<void>): Effect.Effect<void> =>
    Effect.uninterruptibleMask((restore) => {
      if (one.busy !== undefined) return restore(Deferred.await(one.busy))
      const done = Deferred.makeUnsafe<void>()
      one.busy = done
      const acting = Effect.onExit(Effect.interruptible(act(one)), (exit) => {
        one.busy = undefined
        const told =
          Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
            ? Effect.logError("a look at a task failed", { call: one.task.reservation.call })
            : Effect.void
        return Effect.andThen(told, Deferred.done(done, Exit.void))
      })
      return Effect.andThen(Effect.forkIn(acting, scope), restore(Deferred.await(done)))
    })
