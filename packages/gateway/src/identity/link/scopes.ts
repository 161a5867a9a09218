import { defaultScopes } from "@tollgate/contract/operations/linkStart"
import * as Result from "effect/Result"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Platform } from "./Platform.ts"

/** The scopes to request. An unknown scope is refused here, or the user would see the platform's error. */
export const scopesToRequest = (
  { furtherScopes = [], standingScopes = [] }: Platform["Service"],
  scopes: ReadonlyArray<string> = defaultScopes
): Result.Result<ReadonlyArray<string>, Refused> => {
  const known = new Set<string>([...defaultScopes, ...furtherScopes, ...standingScopes])
  const unknownIndex = scopes.findIndex((scope) => !known.has(scope))
  if (unknownIndex !== -1) {
    return Result.fail(
      refuse("invalid_request", `scopes.${unknownIndex}: expected one of ${[...known].join(", ")}`, {
        param: `scopes.${unknownIndex}`
      })
    )
  }
  if (scopes.length === 0) {
    return Result.fail(refuse("invalid_request", "scopes: expected at least one", { param: "scopes" }))
  }
  return Result.succeed([...new Set([...scopes, ...standingScopes])])
}
