import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"

/** Answers that can be read again for a day, by the account they were for. */
export class KeptAnswers extends Context.Service<
  KeptAnswers,
  {
    /** A new id: nobody can guess it, and it is of use to its account alone. */
    readonly newId: Effect.Effect<string>
    /** `false`: it is larger than all that an account may keep. */
    readonly keep: (account: string, id: string, bytes: Uint8Array) => Effect.Effect<boolean, SqlError>
    /** `none`: it is another's, or past its day, or never was. */
    readonly read: (account: string, id: string) => Effect.Effect<Option.Option<Uint8Array>, SqlError>
  }
>()("@tollgate/gateway/KeptAnswers") {}

/** What an account may keep. The oldest answers make room for new ones. */
export const KeptBytes = Context.Reference<number>("@tollgate/gateway/KeptBytes", {
  defaultValue: () => 64 * 1024 * 1024
})
