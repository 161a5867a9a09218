import * as Result from "effect/Result"
import type { Decoded } from "../../exchange/Exchange.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { hasDotSegment } from "../../internal/hasDotSegment.ts"
import { callersName } from "./names.ts"

/** The upstream's path with the caller's parameters in it, each encoded once. They are called as in the operation's path. */
export const filledPath = (
  template: string,
  { match, operation }: Decoded,
  names: Readonly<Record<string, string>> = {}
): Result.Result<string, Refused> => {
  let missing = false
  const path = template
    .split(/\{([^}]+)\}/)
    .map((part, i) => {
      if (i % 2 === 0) return part
      const name = Object.hasOwn(match.parameters, part) ? part : callersName(names, part)
      const value = Object.hasOwn(match.parameters, name) ? match.parameters[name] : undefined
      if (value === undefined) missing = true
      return encodeURIComponent((value ?? "").toWellFormed())
    })
    .join("")
  if (missing) {
    return Result.fail(
      refuse(
        "upstream_misconfigured",
        `The upstream's path for ${operation.id} has a parameter that the operation lacks; the operator has to fix it.`
      )
    )
  }
  // Two parameters that are fine alone can make one together.
  return hasDotSegment(path)
    ? Result.fail(refuse("invalid_request", `The path must not contain "." or ".." as a segment.`))
    : Result.succeed(path)
}
