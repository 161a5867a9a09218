import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/** The platform whose accounts can be linked, and how it knows this gateway (OAuth 2.0 with PKCE). */
export class Platform extends Context.Service<
  Platform,
  {
    /** Where the user approves. */
    readonly authorizeUrl: string
    readonly tokenUrl: string
    /** Whether the token endpoint may be at an address that is not public. */
    readonly private?: boolean
    readonly clientId: string
    readonly clientSecret?: Redacted.Redacted
    /** The address of this gateway's callback, as the platform has it on record. */
    readonly redirectUri: string
    /** That a caller may ask for beside the default set. */
    readonly furtherScopes?: ReadonlyArray<string>
    /** Asked for in every link: some platforms give a refresh token only for a scope of its own. */
    readonly standingScopes?: ReadonlyArray<string>
  }
>()("@tollgate/gateway/Platform") {}
