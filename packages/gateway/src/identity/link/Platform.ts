import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/** The platform whose accounts can be linked, and this gateway's OAuth 2.0 client there (with PKCE). */
export class Platform extends Context.Service<
  Platform,
  {
    /** The authorization endpoint, which the user opens. */
    readonly authorizeUrl: string
    readonly tokenUrl: string
    /** Allows a token endpoint at a private address. */
    readonly private?: boolean
    readonly clientId: string
    readonly clientSecret?: Redacted.Redacted
    /** This gateway's callback URL, as registered at the platform. */
    readonly redirectUri: string
    /** Scopes that callers may request beside the default ones. */
    readonly furtherScopes?: ReadonlyArray<string>
    /** Requested in every link. Some platforms need a scope for refresh tokens. */
    readonly standingScopes?: ReadonlyArray<string>
  }
>()("@tollgate/gateway/Platform") {}
