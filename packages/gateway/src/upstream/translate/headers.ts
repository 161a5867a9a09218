import * as Result from "effect/Result"
import type { Decoded } from "../../exchange/Exchange.ts"
import { headerParameters } from "../../internal/headerParameters.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Target } from "../Route.ts"
import { holdsKey, isForwardable, isHeaderValue } from "./forwardable.ts"

export type Headers = Readonly<Record<string, string>>

const none: ReadonlyArray<string> = []

/** The caller's headers that the upstream gets: the operation's own parameters, and those that the target forwards. */
export const sentHeaders = (
  { operation, request }: Decoded,
  { forwardedHeaders = none, names }: Target
): Result.Result<Headers, Refused> => {
  const headers: Record<string, string> = {}
  const renamed = names?.header ?? {}
  for (const name of [...headerParameters(operation.request.header), ...forwardedHeaders]) {
    const value = request.headers[name]
    const sentAs = (Object.hasOwn(renamed, name) ? renamed[name] : undefined)?.toLowerCase() ?? name
    if (value === undefined || holdsKey(value)) continue
    if (!isForwardable(name, operation.names.provider) || !isForwardable(sentAs, operation.names.provider)) continue
    if (!isHeaderValue(value)) {
      return Result.fail(
        refuse("invalid_request", `${name}: a header cannot hold control characters, or others than Latin-1.`, {
          param: name
        })
      )
    }
    headers[sentAs] = value
  }
  return Result.succeed(headers)
}
