import type { BigMicroUsd } from "@tollgate/contract/Money"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Allowed } from "./Allowed.ts"
import type { Scope } from "./scopes.ts"

/** The program that asks for access. */
export interface GrantClient {
  readonly id: string
  /** As it calls itself. Anybody can claim any name. */
  readonly name: string
}

/** What the person who gives access can choose, and change later. */
export interface GrantTerms {
  /** `null`: every operation. */
  readonly allowed: Allowed | null
  /** The most that it may spend in total. */
  readonly limit: BigMicroUsd | null
  /** The most that it may spend in a day, in UTC. */
  readonly dayLimit: BigMicroUsd | null
  /** A call that can cost more needs approval. `null`: none does. */
  readonly askAbove: BigMicroUsd | null
  readonly endsAt: number
}

/** What a person allowed a client to do for an account. */
export interface Grant extends GrantTerms {
  /** `gr_…`. The key with this id holds the limits, the spend and the end. */
  readonly id: string
  readonly account: string
  readonly client: GrantClient
  readonly scopes: ReadonlyArray<Scope>
  /** The host to which the client returned with it last, or the scheme of a program. */
  readonly returnsTo: string | undefined
  readonly spent: BigMicroUsd
  readonly spentToday: BigMicroUsd
  readonly createdAt: number
  /** The day of its last billed call, in UTC. `undefined`: it made none. */
  readonly lastUsedAt: number | undefined
  /** Whether it was taken back, or its time is over. */
  readonly ended: boolean
}

/** Terms that are left out limit nothing. Without an end it ends after a year. */
export type NewGrant = Pick<Grant, "account" | "client" | "scopes" | "limit"> &
  Partial<Omit<GrantTerms, "limit"> & Pick<Grant, "returnsTo">>

/** Grants of access. */
export class Grants extends Context.Service<
  Grants,
  {
    /**
     * Gives a client access to an account. If it has access already, that is renewed with these terms: what was given before
     * goes on under them, so that they hold for all devices together. What was spent counts towards the limit.
     */
    readonly give: (grant: NewGrant) => Effect.Effect<Grant, AccountsError | SqlError>
    /** Changes terms, at once. Whose grant it is the caller has to check. */
    readonly change: (id: string, terms: Partial<GrantTerms>) => Effect.Effect<Grant, AccountsError | SqlError>
    /** Of an account, or of all. The newest first, also those that have ended. */
    readonly list: (account?: string) => Effect.Effect<ReadonlyArray<Grant>, SqlError>
    readonly find: (id: string) => Effect.Effect<Option.Option<Grant>, SqlError>
    /** Ends the grant and all its tokens, at once. Whose grant it is the caller has to check. */
    readonly revoke: (id: string) => Effect.Effect<void, SqlError>
  }
>()("@tollgate/gateway/Grants") {}
