import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { alone } from "./alone.ts"
import type { ServerUnreachable, ServerUnusable, SignedOut } from "./errors.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"
import type { Session } from "./Session.ts"
import type { Sessions } from "./Sessions.ts"
import { shared } from "./shared.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"
import { RejectedCredential } from "@tollgate/client/RejectedCredential"

export type CredentialError = SignedOut | ServerUnusable | ServerUnreachable

/** Where a token could not be renewed ahead of its end. */
const pauseMillis = 5_000

const renewing = (page: Page, { clientId, keep }: Options, sessions: Sessions) => {
  const end = Effect.suspend(() => {
    sessions.drop("ended")
    return Effect.fail(sessions.signedOut())
  })

  const renew = Effect.fnUntraced(function* (session: Session) {
    const current = sessions.get()
    if (current === undefined) return yield* sessions.signedOut()
    // Another tab was first.
    if (current !== session) return current
    if (session.refresh === undefined) return yield* end
    const granted = yield* TokenEndpoint.refresh(page, session.server, clientId, session.refresh)
    const now = sessions.get()
    if (now !== session) {
      // The user signed out, or in anew, meanwhile: nobody waits for these.
      if (Option.isSome(granted)) yield* TokenEndpoint.revoke(page, session.server, clientId, granted.value)
      return now ?? (yield* sessions.signedOut())
    }
    if (Option.isNone(granted)) return yield* end
    const { refresh = session.refresh } = granted.value
    const next = { ...session, ...granted.value, refresh, turn: session.turn + 1 }
    sessions.put(next)
    return next
  })

  return shared(
    Effect.suspend((): Effect.Effect<Session, CredentialError> => {
      const session = sessions.get()
      if (session === undefined) return Effect.fail(sessions.signedOut())
      return keep === undefined ? renew(session) : alone(page, `tollgate.signIn.${session.id}`, renew(session))
    })
  )
}

const isPast = (time: number | undefined, now: number): boolean => time !== undefined && time <= now

/** A token that is good now. It is renewed a little before its end, and where it was turned down. */
export const credentialOf = (
  page: Page,
  options: Options,
  sessions: Sessions
): Effect.Effect<Redacted.Redacted, CredentialError> => {
  const renewed = renewing(page, options, sessions)
  return Effect.gen(function* () {
    const session = sessions.get()
    if (session === undefined) return yield* sessions.signedOut()
    const now = yield* Clock.currentTimeMillis
    const rejected = yield* RejectedCredential
    const isBad =
      isPast(session.endsAt, now) ||
      (rejected !== undefined && Redacted.value(rejected) === Redacted.value(session.access))
    if (!isBad && (session.refresh === undefined || !isPast(session.renewAt, now))) return session.access
    const still = (error: CredentialError) => {
      if (isBad || error._tag === "SignedOut") return Effect.fail(error)
      if (sessions.get() === session) sessions.put({ ...session, renewAt: now + pauseMillis })
      return Effect.succeed(session)
    }
    const { access } = yield* Effect.catch(renewed, still)
    return access
  })
}
