import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { singleFlight } from "../internal/singleFlight.ts"
import type { Refused } from "../Refused.ts"
import { ended, notLinked, platformFailed, storeFailed } from "./refusals.ts"
import type * as Sessions from "./sessions.ts"
import type * as TokenEndpoint from "./TokenEndpoint.ts"

type Session = Sessions.Session

/** A token is renewed this long before its end, so that it does not end on the way. */
const marginMillis = 60_000

/** Past its end where it cannot be renewed; before that, where it can. */
const isSpent = ({ endsAt, refresh }: Session, now: number): boolean =>
  endsAt !== undefined && endsAt <= now + (refresh === undefined ? 0 : marginMillis)

const patiently = { schedule: Schedule.exponential("50 millis"), times: 4 }

/** Sessions whose access token is good now. Renewals go on though whoever asked leaves: a refresh token counts once. */
export const make = (
  sessions: ReturnType<typeof Sessions.make>,
  endpoint: ReturnType<typeof TokenEndpoint.make>,
  scope: Scope.Scope
) => {
  const oneAtATime = singleFlight<Session, Refused>(scope)

  const fromStore = <A>(effect: Effect.Effect<A, SqlError>) => Effect.mapError(effect, storeFailed)

  const found = (owner: string) =>
    Effect.flatMap(fromStore(sessions.find(owner)), (session) =>
      Option.isSome(session) ? Effect.succeed(session.value) : Effect.fail(notLinked())
    )

  const end = (session: Session): Effect.Effect<Session, Refused> =>
    Effect.flatMap(fromStore(sessions.drop(session)), (dropped) =>
      dropped ? Effect.fail(ended()) : found(session.owner)
    )

  const renew = Effect.fnUntraced(function* (owner: string) {
    const session = yield* found(owner)
    if (!isSpent(session, yield* Clock.currentTimeMillis)) return session
    if (session.refresh === undefined) return yield* end(session)
    const granted = yield* endpoint
      .refresh(session.refresh)
      .pipe(Effect.catch(({ why }) => (why === "refused" ? Effect.undefined : Effect.fail(platformFailed(why)))))
    if (granted === undefined) return yield* end(session)
    const { access, lifetimeMillis, refresh = session.refresh, scopes = session.scopes } = granted
    const endsAt = lifetimeMillis === undefined ? undefined : (yield* Clock.currentTimeMillis) + lifetimeMillis
    const renewed = { owner, scopes, access, refresh, endsAt }
    const stands = yield* fromStore(Effect.retry(sessions.renew(session, renewed), patiently))
    return stands ? { ...session, ...renewed } : yield* found(owner)
  })

  return Effect.fnUntraced(function* (owner: string) {
    const session = yield* found(owner)
    return isSpent(session, yield* Clock.currentTimeMillis) ? yield* oneAtATime(owner, renew(owner)) : session
  })
}
