import { defaultScopes } from "@tollgate/contract/operations/linkStart"
import * as Result from "effect/Result"
import { refuse, type Refused } from "../Refused.ts"
import type { Platform } from "./Platform.ts"

/** What to ask the platform for. A scope that is not known is a slip of the pen, and would fail before the user. */
export const asked = (
  { furtherScopes = [], standingScopes = [] }: Platform["Service"],
  scopes: ReadonlyArray<string> = defaultScopes
): Result.Result<ReadonlyArray<string>, Refused> => {
  const known = new Set<string>([...defaultScopes, ...furtherScopes, ...standingScopes])
  const stranger = scopes.findIndex((scope) => !known.has(scope))
  if (stranger !== -1) {
    return Result.fail(
      refuse("invalid_request", `scopes.${stranger}: expected one of ${[...known].join(", ")}`, {
        param: `scopes.${stranger}`
      })
    )
  }
  if (scopes.length === 0) {
    return Result.fail(refuse("invalid_request", "scopes: expected at least one", { param: "scopes" }))
  }
  return Result.succeed([...new Set([...scopes, ...standingScopes])])
}
