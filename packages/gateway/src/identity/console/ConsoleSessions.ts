import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"

/** An account and the operator sign in apart. One browser can have both. */
export type Kind = "account" | "operator"

export interface Begun {
  /** For the cookie. The store holds its hash. */
  readonly secret: Redacted.Redacted
  /** What the page knows of its session. It opens nothing. */
  readonly id: string
  /** When it ends at the latest. */
  readonly endsAt: number
}

/** Who is signed in to the console in a browser, over reloads and in all its tabs. */
export class ConsoleSessions extends Context.Service<
  ConsoleSessions,
  {
    /** Keeps the credential for a browser. `owner`: its key. The oldest sessions of a key end if there are too many. */
    readonly begin: (kind: Kind, owner: string, credential: Redacted.Redacted) => Effect.Effect<Begun, SqlError>
    /** The credential. `none` if the session has ended, or is not the one that the page means. */
    readonly find: (kind: Kind, secret: string, id: string) => Effect.Effect<Option.Option<Redacted.Redacted>, SqlError>
    /** Forgets the credential. A token of the console itself ends. Returns whether there was such a session. */
    readonly end: (kind: Kind, secret: string, id?: string) => Effect.Effect<boolean, SqlError>
  }
>()("@tollgate/gateway/ConsoleSessions") {}
