import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Principal } from "../credential/Keys.ts"
import type { Refused } from "../Refused.ts"

/**
 * Why the user's return led to no session.
 *
 * - `unknown`: no link was begun with this state, or it was used, or its time is up.
 * - `declined`: the user, or the platform, said no.
 * - `refused`: the platform does not take the code.
 * - `platform`: the platform could not be asked, or made no sense.
 * - `store`: the session could not be stored.
 */
export class NotLinked extends Data.TaggedError("NotLinked")<{
  readonly why: "unknown" | "declined" | "refused" | "platform" | "store"
}> {}

/** What the platform adds to the callback's address. */
export interface Returned {
  readonly state: string | undefined
  readonly code: string | undefined
  readonly error: string | undefined
}

/** Platform accounts that are linked, each to one key and to those that come from it by rotation. */
export class Links extends Context.Service<
  Links,
  {
    /** Where the user approves; the default scopes where none are asked for. */
    readonly start: (
      principal: Principal,
      scopes: ReadonlyArray<string> | undefined
    ) => Effect.Effect<LinkSession, Refused>
    /** Once for each state: the session belongs to whoever began the link. */
    readonly finish: (returned: Returned) => Effect.Effect<void, NotLinked>
    /** An access token that is good now and for this scope; 403 where there is none. */
    readonly token: (principal: Principal, scope: string) => Effect.Effect<Redacted.Redacted, Refused>
    /** The platform turned the token away: it is renewed before the next call, or the session ends. */
    readonly turnedAway: (principal: Principal) => Effect.Effect<void, Refused>
  }
>()("@tollgate/gateway/Links") {}
