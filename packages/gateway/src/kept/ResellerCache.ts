import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"

/** The reseller cache: answers that their account can read again for a day. */
export class ResellerCache extends Context.Service<
  ResellerCache,
  {
    /** A new id that cannot be guessed. */
    readonly newId: Effect.Effect<string>
    /** `false`: the answer is larger than the account's share of the cache. */
    readonly keep: (account: string, id: string, bytes: Uint8Array) => Effect.Effect<boolean, SqlError>
    /** `none`: unknown, expired, or of another account. */
    readonly read: (account: string, id: string) => Effect.Effect<Option.Option<Uint8Array>, SqlError>
  }
>()("@tollgate/gateway/ResellerCache") {}

/** The bytes that one account may keep. New answers evict the oldest. */
export const ResellerCacheBytes = Context.Reference<number>("@tollgate/gateway/ResellerCacheBytes", {
  defaultValue: () => 64 * 1024 * 1024
})
