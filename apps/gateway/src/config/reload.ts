import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

/** Runs the effect whenever the process is told to read its file again. Signals that come meanwhile are one. */
export const onHangup = Effect.fnUntraced(function* (reload: Effect.Effect<void>) {
  const asked = yield* Queue.sliding<void>(1)
  const ask = () => void Queue.offerUnsafe(asked, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", ask)),
    () => Effect.sync(() => process.off("SIGHUP", ask))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(asked), reload)))
})
