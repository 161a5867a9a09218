import * as Effect from "effect/Effect"
import type { Page } from "./Page.ts"

/** A tab that is frozen while it holds the lock must not block the others. */
const timeoutMillis = 20_000

/** Time for the message about a renewal to reach the tab that gets the lock next. */
const releaseDelayMillis = 100

const nothing = () => {}

const acquire = (locks: Pick<LockManager, "request">, name: string): Effect.Effect<() => void> =>
  Effect.callback<() => void>((resume) => {
    const controller = new AbortController()
    let unlock = nothing
    const onAcquired = () =>
      new Promise<void>((release) => {
        unlock = release
        resume(Effect.succeed(release))
      })
    locks.request(name, { signal: controller.signal }, onAcquired).catch(() => resume(Effect.succeed(nothing)))
    return Effect.sync(() => {
      controller.abort()
      unlock()
    })
  }).pipe(
    Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => Effect.succeed(nothing) }),
    Effect.interruptible
  )

/** Runs in one tab at a time, if the browser supports Web Locks. */
export const withTabLock = <A, E>(page: Page, name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const locks = page.locks()
    if (locks === undefined) return effect
    return Effect.acquireUseRelease(
      acquire(locks, name),
      () => effect,
      (release) => Effect.forkDetach(Effect.andThen(Effect.sleep(releaseDelayMillis), Effect.sync(release)))
    )
  })
