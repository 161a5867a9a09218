import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Principal } from "./Keys.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"

/** Looks up access tokens. A gateway without this service takes API keys only. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** `none` if the token is unknown, expired or revoked. Which resource it is for is checked by the path. */
    readonly find: (token: string) => Effect.Effect<Option.Option<Principal>, Refused>
  }
>()("@tollgate/ledger/AccessTokens") {}
