import type { Multiplier } from "@tollgate/contract/price/Price"
import type { Allowance } from "@tollgate/contract/Tier"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Refused } from "../Refused.ts"

/** Who calls, and on what terms. */
export interface Principal {
  readonly account: string
  /** Missing for an OAuth token, which acts for the whole account. */
  readonly key?: string
  /** The first key of its rotations, which holds the terms and the spend of them all. Its own id if it was never rotated. */
  readonly rootKey?: string
  readonly allowance: Allowance
  readonly multiplier: Multiplier
}

/**
 * Who owns tasks and linked accounts: the first key of a rotation, for itself and for every key rotated from it. An OAuth
 * token has no key, so its account is the owner.
 */
export const ownerOf = ({ account, key, rootKey }: Principal): string => rootKey ?? key ?? account

/** Looks up credentials. */
export class Keys extends Context.Service<
  Keys,
  {
    /** `none` if the credential is unknown, revoked or expired. */
    readonly find: (credential: string) => Effect.Effect<Option.Option<Principal>, Refused>
  }
>()("@tollgate/gateway/Keys") {}
