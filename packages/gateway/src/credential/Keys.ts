import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { Refused } from "../Refused.ts"

/** Who calls. */
export interface Principal {
  readonly account: string
  /** Missing for an OAuth token, which speaks for the whole account. */
  readonly key?: string
}

/** The credentials that are known. */
export class Keys extends Context.Service<
  Keys,
  {
    /** `none`: not a credential of this gateway, or no longer. */
    readonly find: (credential: string) => Effect.Effect<Option.Option<Principal>, Refused>
    /** Stores a key's hash; the key itself is kept nowhere. Storing the same key again changes nothing. */
    readonly add: (key: Redacted.Redacted, label: string) => Effect.Effect<Principal, Refused>
    readonly isEmpty: Effect.Effect<boolean, Refused>
  }
>()("@tollgate/gateway/Keys") {}
