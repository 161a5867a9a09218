import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { ParentSpan } from "effect/Tracer"
import { Resumed } from "../call/memory.ts"
import { begunOf } from "./begun.ts"
import { endedOf } from "./ended.ts"
import type { GuardedSight, Observer, Sight, Told } from "./Observer.ts"
import { type Subject, Watcher } from "../call/Watch.ts"
import { recordFailure, emptyRecord, makeWatch } from "./CallRecord.ts"

/** Whatever the observer's function does, the call goes on. */
const harmless = (tell: () => Told): Effect.Effect<void> =>
  Effect.suspend(() => {
    const told = tell()
    if (Effect.isEffect(told)) return Effect.asVoid(told)
    if (told instanceof Promise) told.catch(() => {})
    return Effect.void
  }).pipe(Effect.catchCause(() => Effect.void))

const guarded = ({ attempted, ended, ...rest }: Sight = {}): GuardedSight => ({
  ...rest,
  attempted: (number, failed) => harmless(() => attempted?.(number, failed)),
  ended: (call) => harmless(() => ended?.(call))
})

const watcher = (observers: ReadonlyArray<Observer>): Watcher => {
  const begin = Effect.fnUntraced(function* (subject: Subject) {
    const startedAt = yield* Clock.currentTimeNanos
    const begun = begunOf(subject)
    const sights = yield* Effect.forEach(observers, (observer) =>
      Effect.suspend(() => {
        const sight = observer(begun)
        return Effect.isEffect(sight) ? sight : Effect.succeed(sight ?? {})
      }).pipe(
        Effect.catchCause(() => Effect.succeed({})),
        Effect.map(guarded)
      )
    )
    const record = emptyRecord((yield* Resumed) !== undefined)
    const span = sights.find(({ span }) => span !== undefined)?.span
    return {
      record,
      watch: makeWatch(begun, sights, record),
      below: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        span === undefined ? effect : Effect.provideService(effect, ParentSpan, span),
      end: (exit: Exit.Exit<unknown, unknown>) =>
        Effect.flatMap(Clock.currentTimeNanos, (now) => {
          const call = endedOf(begun, record, exit, Number(now - startedAt) / 1e6)
          return Effect.forEach(sights, ({ ended }) => ended(call), { discard: true })
        })
    }
  })
  return {
    whole: (subject, call) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(begin(subject), ({ below, end, watch }) => Effect.onExit(restore(below(call(watch))), end))
      ),
    scoped: (subject, call) =>
      Effect.flatMap(
        Effect.acquireRelease(begin(subject), ({ end }, exit) => end(exit)),
        // Recorded here, since a reader who handles this failure closes the scope with success.
        ({ below, record, watch }) => Effect.tapError(below(call(watch)), (failure) => recordFailure(record, failure))
      )
  }
}

/**
 * Reports every call to each observer: `observe(spans(), metrics)`, as the client's option `observe`, or as a layer beside the
 * client. If it is provided twice, the inner one applies.
 */
export const observe = (...observers: ReadonlyArray<Observer>): Layer.Layer<never> =>
  Layer.succeed(Watcher, watcher(observers))
