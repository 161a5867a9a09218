import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

/** Runs the effect on every SIGHUP. Signals that arrive while it runs are merged into one. */
export const onHangup = Effect.fnUntraced(function* (reload: Effect.Effect<unknown>) {
  const requests = yield* Queue.sliding<void>(1)
  const request = () => void Queue.offerUnsafe(requests, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", request)),
    () => Effect.sync(() => process.off("SIGHUP", request))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(requests), reload)))
})
