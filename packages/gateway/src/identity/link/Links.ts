import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Refused } from "@tollgate/contract/errors/Refused"

/**
 * Why a callback created no session.
 *
 * - `unknown`: the state was never issued, was used before, or has expired.
 * - `declined`: the user or the platform denied access.
 * - `refused`: the platform did not accept the code.
 * - `platform`: the platform was not reachable, or its answer was not valid.
 * - `store`: the session could not be stored.
 */
export class NotLinked extends Data.TaggedError("NotLinked")<{
  readonly why: "unknown" | "declined" | "refused" | "platform" | "store"
}> {}

/** The query parameters that the platform adds to the callback's URL. */
export interface Callback {
  readonly state: string | undefined
  readonly code: string | undefined
  readonly error: string | undefined
}

/** What is known of a linked account. */
export interface Linked {
  readonly scopes: ReadonlyArray<string>
  readonly linkedAt: number
}

/** Linked platform accounts. Each belongs to one key, and to the keys rotated from it. */
export class Links extends Context.Service<
  Links,
  {
    /** The scopes that a person can choose. */
    readonly offered: ReadonlyArray<string>
    /** Returns the URL where the user approves. Requests the default scopes if none are given. */
    readonly start: (
      principal: Principal,
      scopes: ReadonlyArray<string> | undefined
    ) => Effect.Effect<LinkSession, Refused>
    /** Stores the session for the owner who started the link. A state can be used once. */
    readonly finish: (callback: Callback) => Effect.Effect<void, NotLinked>
    /** A valid access token with this scope. Refuses with 403 if there is none. */
    readonly token: (principal: Principal, scope: string) => Effect.Effect<Redacted.Redacted, Refused>
    /** The account that is linked. It may have to be renewed before the next call. */
    readonly linked: (principal: Principal) => Effect.Effect<Option.Option<Linked>, Refused>
    /** Forgets the session. A call that has its token already ends as usual. The platform is not told. */
    readonly unlink: (principal: Principal) => Effect.Effect<void, Refused>
    /** Call this when the platform rejected the token: it is renewed before the next call, or the session ends. */
    readonly turnedAway: (principal: Principal) => Effect.Effect<void, Refused>
  }
>()("@tollgate/gateway/Links") {}
