import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Refused } from "@tollgate/contract/errors/Refused"

/** Who is signed in to the pages. */
export interface Session {
  readonly account: string
  readonly endsAt: number
}

/** A secret in plain text, handed out once. The store holds its hash. */
export interface Issued {
  readonly secret: Redacted.Redacted
  readonly endsAt: number
}

export class NotSignedIn extends Data.TaggedError("NotSignedIn")<{
  /**
   * `limited key`: the key has a budget or a quota. Whoever signs in can grant more than that, so it cannot.
   * `used link`: the link was used before, has expired, or never existed.
   */
  readonly why: "wrong key" | "limited key" | "used link" | "too many"
  /** With `too many`: milliseconds until this address may try again. */
  readonly retryAfter?: number
}> {}

/** People who sign in to the pages: by an API key of their account, or by a link that an operator makes. */
export class SignIn extends Context.Service<
  SignIn,
  {
    /** A link for one sign-in. The secret is the last part of its address. */
    readonly createLink: (account: string) => Effect.Effect<Issued, AccountsError | SqlError>
    /** The account that a link is for. Does not use it up. */
    readonly findLink: (secret: string) => Effect.Effect<Option.Option<string>, SqlError>
    /** Uses the link up and begins a session. */
    readonly withLink: (secret: string, address: string | undefined) => Effect.Effect<Issued, NotSignedIn | SqlError>
    readonly withKey: (
      key: Redacted.Redacted,
      address: string | undefined
    ) => Effect.Effect<Issued, NotSignedIn | Refused | SqlError>
    /** `none` if the session has ended, or the key that began it. */
    readonly find: (secret: string) => Effect.Effect<Option.Option<Session>, SqlError>
    readonly end: (secret: string) => Effect.Effect<void, SqlError>
  }
>()("@tollgate/gateway/SignIn") {}
