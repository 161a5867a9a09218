import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { KeptAnswers } from "../../kept/KeptAnswers.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Builtin } from "../../exchange/Builtin.ts"

const notFound = refuse(
  "route_not_found",
  "There is no cached answer with this id. An answer is kept for a day, for the account that paid for it."
)

/** The target of an envelope's `cache_url`: the same bytes, for the same account only. */
export const cachedAnswer =
  ({ read }: KeptAnswers["Service"]): Builtin =>
  ({ input: { path }, principal }) =>
    principal === undefined
      ? Effect.fail(notFound)
      : read(principal.account, String(path.id)).pipe(
          Effect.mapError(() =>
            refuse("billing_unavailable", "The answer cache is not available.", { retryAfter: 1_000 })
          ),
          Effect.flatMap((found) =>
            Option.isNone(found)
              ? Effect.fail(notFound)
              : Effect.succeed({
                  status: 200,
                  contentType: "application/json",
                  headers: { "cache-control": "private, no-store" },
                  bytes: found.value
                })
          )
        )
