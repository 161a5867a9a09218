import { RejectedCredential } from "@tollgate/client/RejectedCredential"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { ServerUnreachable, ServerUnusable, SignedOut } from "./errors.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"
import type { Session, SessionStore } from "./SessionStore.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"

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
const withTabLock = <A, E>(page: Page, name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const locks = page.locks()
    if (locks === undefined) return effect
    return Effect.acquireUseRelease(
      acquire(locks, name),
      () => effect,
      (release) => Effect.forkDetach(Effect.andThen(Effect.sleep(releaseDelayMillis), Effect.sync(release)))
    )
  })

/** Concurrent callers share one run. Interrupting a caller does not interrupt the run. */
export const singleFlight = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let running: Deferred.Deferred<A, E> | undefined
  return Effect.uninterruptibleMask((restore) => {
    if (running !== undefined) return restore(Deferred.await(running))
    const result = Deferred.makeUnsafe<A, E>()
    running = result
    const run = Effect.onExit(effect, (exit) => {
      running = undefined
      return Deferred.done(result, exit)
    })
    return Effect.andThen(Effect.forkDetach(run, { startImmediately: true }), restore(Deferred.await(result)))
  })
}

export type CredentialError = SignedOut | ServerUnusable | ServerUnreachable

/** After a failed early renewal, the next attempt waits this long. */
const retryDelayMillis = 5_000

const makeRenewal = (page: Page, { clientId, keep }: Options, sessions: SessionStore) => {
  const end = Effect.suspend(() => {
    sessions.drop("ended")
    return Effect.fail(sessions.signedOut())
  })

  const renew = Effect.fnUntraced(function* (session: Session) {
    const current = sessions.get()
    if (current === undefined) return yield* sessions.signedOut()
    // Another tab renewed first.
    if (current !== session) return current
    if (session.refresh === undefined) return yield* end
    const tokens = yield* TokenEndpoint.refresh(page, session.server, clientId, session.refresh)
    const now = sessions.get()
    if (now !== session) {
      // The user signed out or in again meanwhile, so nobody needs these tokens.
      if (Option.isSome(tokens)) yield* TokenEndpoint.revoke(page, session.server, clientId, tokens.value)
      return now ?? (yield* sessions.signedOut())
    }
    if (Option.isNone(tokens)) return yield* end
    const { refresh = session.refresh } = tokens.value
    const next = { ...session, ...tokens.value, refresh, renewals: session.renewals + 1 }
    sessions.put(next)
    return next
  })

  return singleFlight(
    Effect.suspend((): Effect.Effect<Session, CredentialError> => {
      const session = sessions.get()
      if (session === undefined) return Effect.fail(sessions.signedOut())
      return keep === undefined ? renew(session) : withTabLock(page, `tollgate.signIn.${session.id}`, renew(session))
    })
  )
}

const isPast = (time: number | undefined, now: number): boolean => time !== undefined && time <= now

/** A valid access token. It is renewed shortly before it expires and after the gateway rejected it. */
export const credentialOf = (
  page: Page,
  options: Options,
  sessions: SessionStore
): Effect.Effect<Redacted.Redacted, CredentialError> => {
  const renewal = makeRenewal(page, options, sessions)
  return Effect.gen(function* () {
    const session = sessions.get()
    if (session === undefined) return yield* sessions.signedOut()
    const now = yield* Clock.currentTimeMillis
    const rejected = yield* RejectedCredential
    const isUnusable =
      isPast(session.endsAt, now) ||
      (rejected !== undefined && Redacted.value(rejected) === Redacted.value(session.access))
    if (!isUnusable && (session.refresh === undefined || !isPast(session.renewAt, now))) return session.access
    const keepCurrent = (error: CredentialError) => {
      if (isUnusable || error._tag === "SignedOut") return Effect.fail(error)
      if (sessions.get() === session) sessions.put({ ...session, renewAt: now + retryDelayMillis })
      return Effect.succeed(session)
    }
    const { access } = yield* Effect.catch(renewal, keepCurrent)
    return access
  })
}
