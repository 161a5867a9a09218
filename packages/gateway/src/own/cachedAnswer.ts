import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { KeptAnswers } from "../cache/KeptAnswers.ts"
import { refuse } from "../Refused.ts"
import type { Own } from "./Own.ts"

const nothing = refuse("route_not_found", "There is no kept answer at this address.")

/** Serves an envelope's `cache_url`: the same bytes, for the same account. */
export const cachedAnswer =
  ({ read }: KeptAnswers["Service"]): Own =>
  ({ input: { path }, principal }) =>
    principal === undefined
      ? Effect.fail(nothing)
      : read(principal.account, String(path.id)).pipe(
          Effect.mapError(() =>
            refuse("billing_unavailable", "The store of kept answers is not available.", { retryAfter: 1_000 })
          ),
          Effect.flatMap((found) =>
            Option.isNone(found)
              ? Effect.fail(nothing)
              : Effect.succeed({
                  status: 200,
                  contentType: "application/json",
                  headers: { "cache-control": "private, no-store" },
                  bytes: found.value
                })
          )
        )
