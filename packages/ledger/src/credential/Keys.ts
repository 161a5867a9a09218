import type { Multiplier } from "@tollgate/contract/price/Price"
import type { Allowance } from "@tollgate/contract/Tier"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Refused } from "@tollgate/contract/errors/Refused"

/** Which operations a grant allows. */
export interface Allows {
  /** With all operations of these. */
  readonly categories: ReadonlySet<string>
  readonly operations: ReadonlySet<string>
}

/** What an access token stands for: the part of a grant that the path checks. */
export interface TokenGrant {
  readonly id: string
  readonly scopes: ReadonlySet<string>
  /** The resource for which the token was issued (RFC 8707). */
  readonly resource: string
  /** `undefined`: every operation. */
  readonly allows?: Allows | undefined
  /** In micro-USD. A call that can cost more needs approval. `undefined`: none does. */
  readonly askAbove?: bigint | undefined
  /** It is of a machine, which the operator let in. Otherwise a person did. */
  readonly isMachine?: boolean
  /** It is of the gateway's own console, on whose pages a person decides. */
  readonly isConsole?: boolean
}

/** Who calls, and on what terms. */
export interface Principal {
  readonly account: string
  /** The key that is charged. An access token has the key of its grant. */
  readonly key?: string
  /** The first key of its rotations, which holds the terms and the spend of them all. Its own id if it was never rotated. */
  readonly rootKey?: string
  readonly allowance: Allowance
  readonly multiplier: Multiplier
  /** Present if the credential is an access token. */
  readonly grant?: TokenGrant
}

/**
 * Who owns tasks and linked accounts: the first key of a rotation, for itself and for every key rotated from it. An access
 * token acts for its account, which is then the owner.
 */
export const ownerOf = ({ account, grant, key, rootKey }: Principal): string =>
  grant === undefined ? (rootKey ?? key ?? account) : account

/** Looks up credentials: API keys, and access tokens if there are any. */
export class Keys extends Context.Service<
  Keys,
  {
    /** `none` if the credential is unknown, revoked or expired. */
    readonly find: (credential: string) => Effect.Effect<Option.Option<Principal>, Refused>
  }
>()("@tollgate/ledger/Keys") {}
