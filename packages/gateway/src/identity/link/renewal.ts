import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { singleFlight } from "../../internal/once.ts"
import { type Refused, refuse, unavailable } from "@tollgate/contract/errors/Refused"
import type * as Sessions from "./sessions.ts"
import type * as TokenEndpoint from "./TokenEndpoint.ts"
import type { TokenRequestFailed } from "./TokenEndpoint.ts"

export const notLinked = (): Refused =>
  refuse("missing_scope", "No platform account is linked to this key; link one and call again.")

export const sessionEnded = (): Refused =>
  refuse("missing_scope", "The linked session has ended; link the platform account again.")

export const missingScope = (scope: string): Refused =>
  refuse("missing_scope", `The linked session lacks ${scope}; link the account again with that scope.`)

export const storeFailed = (): Refused =>
  unavailable("The store of linked accounts is not available; nothing was executed.")

export const platformFailed = (why: Exclude<TokenRequestFailed["why"], "refused">): Refused =>
  why === "misconfigured"
    ? refuse("upstream_misconfigured", "The platform rejected this gateway's client credential.")
    : refuse("upstream_unreachable", "The platform could not renew the linked session; nothing was executed.", {
        status: 503,
        retryAfter: 1_000
      })

type Session = Sessions.Session

/** A token is renewed this long before it expires, so that it does not expire in transit. */
const marginMillis = 60_000

/** Runs an effect on one gateway at a time for each owner. */
type OnOneGateway = (owner: string) => <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>

/** With a refresh token, `marginMillis` before the access token expires. */
const isExpired = ({ endsAt, refresh }: Session, now: number): boolean =>
  endsAt !== undefined && endsAt <= now + (refresh === undefined ? 0 : marginMillis)

/** Whether the session is valid, or can be renewed. */
export const isUsable =
  (now: number) =>
  (session: Session): boolean =>
    session.refresh !== undefined || !isExpired(session, now)

const retryPolicy = { schedule: Schedule.exponential("50 millis"), times: 4 }

/** Finds sessions and renews expired ones. A renewal continues if its callers leave: a refresh token is valid once. */
export const make = (
  sessions: ReturnType<typeof Sessions.make>,
  endpoint: ReturnType<typeof TokenEndpoint.make>,
  scope: Scope.Scope,
  onOneGateway: OnOneGateway
) => {
  const oneAtATime = singleFlight<Session, Refused>(scope)

  const fromStore = <A>(effect: Effect.Effect<A, SqlError>) => Effect.mapError(effect, storeFailed)

  const find = (owner: string) =>
    Effect.flatMap(fromStore(sessions.find(owner)), (session) =>
      Option.isSome(session) ? Effect.succeed(session.value) : Effect.fail(notLinked())
    )

  const end = (session: Session): Effect.Effect<Session, Refused> =>
    Effect.flatMap(fromStore(sessions.drop(session)), (dropped) =>
      dropped ? Effect.fail(sessionEnded()) : find(session.owner)
    )

  const renew = Effect.fnUntraced(function* (owner: string) {
    const session = yield* find(owner)
    if (!isExpired(session, yield* Clock.currentTimeMillis)) return session
    if (session.refresh === undefined) return yield* end(session)
    const response = yield* endpoint
      .refresh(session.refresh)
      .pipe(Effect.catch(({ why }) => (why === "refused" ? Effect.undefined : Effect.fail(platformFailed(why)))))
    if (response === undefined) return yield* end(session)
    const { access, lifetimeMillis, refresh = session.refresh, scopes = session.scopes } = response
    const endsAt = lifetimeMillis === undefined ? undefined : (yield* Clock.currentTimeMillis) + lifetimeMillis
    const renewed = { owner, scopes, access, refresh, endsAt }
    const stored = yield* fromStore(Effect.retry(sessions.renew(session, renewed), retryPolicy))
    return stored ? { ...session, ...renewed } : yield* find(owner)
  })

  /** Other gateways wait, and find the session renewed. */
  const renewHere = (owner: string) =>
    Effect.catchTag(onOneGateway(owner)(renew(owner)), "SqlError", () => Effect.fail(storeFailed()))

  return Effect.fnUntraced(function* (owner: string) {
    const session = yield* find(owner)
    return isExpired(session, yield* Clock.currentTimeMillis) ? yield* oneAtATime(owner, renewHere(owner)) : session
  })
}
