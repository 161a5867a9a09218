import type { BigMicroUsd } from "@tollgate/contract/Money"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Scope } from "./scopes.ts"

/** The program that asks for access. */
export interface GrantClient {
  readonly id: string
  /** As it calls itself. Anybody can claim any name. */
  readonly name: string
}

/** What a person allowed a client to do for an account. */
export interface Grant {
  /** `gr_…`. The key with this id holds the limit and the spend. */
  readonly id: string
  readonly account: string
  readonly client: GrantClient
  readonly scopes: ReadonlyArray<Scope>
  /** The most that it may spend in total. */
  readonly limit: BigMicroUsd | null
  readonly spent: BigMicroUsd
  readonly createdAt: number
  readonly endsAt: number
  /** The day of its last billed call, in UTC. `undefined`: it made none. */
  readonly lastUsedAt: number | undefined
  /** Whether it was taken back, or its time is over. */
  readonly ended: boolean
}

export type NewGrant = Pick<Grant, "account" | "client" | "scopes" | "limit">

/** Grants of access. */
export class Grants extends Context.Service<
  Grants,
  {
    readonly create: (grant: NewGrant) => Effect.Effect<Grant, AccountsError | SqlError>
    /** Of an account, or of all. The newest first, also those that have ended. */
    readonly list: (account?: string) => Effect.Effect<ReadonlyArray<Grant>, SqlError>
    readonly find: (id: string) => Effect.Effect<Option.Option<Grant>, SqlError>
    /** Ends the grant and all its tokens, at once. Whose grant it is the caller has to check. */
    readonly revoke: (id: string) => Effect.Effect<void, SqlError>
  }
>()("@tollgate/gateway/Grants") {}
