import type { Multiplier } from "@tollgate/contract/price/Price"
import type { Allowance } from "@tollgate/contract/Tier"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Refused } from "../Refused.ts"

/** Who calls, and on what terms. */
export interface Principal {
  readonly account: string
  /** Missing for an OAuth token, which speaks for the whole account. */
  readonly key?: string
  /** The key that this one came from by rotation, with which it shares its terms; its own id where it came from none. */
  readonly purse?: string
  readonly allowance: Allowance
  readonly multiplier: Multiplier
}

/**
 * Who owns tasks and linked accounts: the first key of a rotation, for itself and for every key rotated from it. An OAuth
 * token has no key, so its account is the owner.
 */
export const ownerOf = ({ account, key, purse }: Principal): string => purse ?? key ?? account

/** The credentials that are known. */
export class Keys extends Context.Service<
  Keys,
  {
    /** `none`: not a credential of this gateway, or no longer. */
    readonly find: (credential: string) => Effect.Effect<Option.Option<Principal>, Refused>
  }
>()("@tollgate/gateway/Keys") {}
