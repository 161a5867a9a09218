import * as Effect from "effect/Effect"
import type { Page } from "./Page.ts"

/** No longer than this: a tab that was frozen while it held the lock must not stop the others. */
const patienceMillis = 20_000

/** For a message about what was done to reach the tab that has the lock next. */
const lingerMillis = 100

const nothing = () => {}

const acquire = (locks: Pick<LockManager, "request">, name: string): Effect.Effect<() => void> =>
  Effect.callback<() => void>((resume) => {
    const controller = new AbortController()
    let leave = nothing
    const held = () =>
      new Promise<void>((release) => {
        leave = release
        resume(Effect.succeed(release))
      })
    locks.request(name, { signal: controller.signal }, held).catch(() => resume(Effect.succeed(nothing)))
    return Effect.sync(() => {
      controller.abort()
      leave()
    })
  }).pipe(
    Effect.timeoutOrElse({ duration: patienceMillis, orElse: () => Effect.succeed(nothing) }),
    Effect.interruptible
  )

/** One tab at a time, where the browser has Web Locks. */
export const alone = <A, E>(page: Page, name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const locks = page.locks()
    if (locks === undefined) return effect
    return Effect.acquireUseRelease(
      acquire(locks, name),
      () => effect,
      (release) => Effect.forkDetach(Effect.andThen(Effect.sleep(lingerMillis), Effect.sync(release)))
    )
  })
