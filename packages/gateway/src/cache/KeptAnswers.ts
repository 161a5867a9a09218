import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"

/** Answers that their account can read again for a day. */
export class KeptAnswers extends Context.Service<
  KeptAnswers,
  {
    /** A random id. Only its account can read the answer under it. */
    readonly newId: Effect.Effect<string>
    /** `false`: not stored, because the answer alone exceeds `KeptBytes`. */
    readonly keep: (account: string, id: string, bytes: Uint8Array) => Effect.Effect<boolean, SqlError>
    /** `none`: no such answer, another account's, or expired. */
    readonly read: (account: string, id: string) => Effect.Effect<Option.Option<Uint8Array>, SqlError>
  }
>()("@tollgate/gateway/KeptAnswers") {}

/** The limit per account. The oldest answers are deleted to make room. */
export const KeptBytes = Context.Reference<number>("@tollgate/gateway/KeptBytes", {
  defaultValue: () => 64 * 1024 * 1024
})
