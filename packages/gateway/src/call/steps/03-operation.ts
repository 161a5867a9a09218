import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import * as Effect from "effect/Effect"
import { answersHead } from "../router/Router.ts"
import type { Authenticated, Routed, Match, Accepted } from "../../exchange/Exchange.ts"
import type { Resources } from "../../identity/grant/Resources.ts"
import { notAllowed } from "../../identity/grant/scopes.ts"
import type { PriceBook } from "../../exchange/Prices.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import { parseQuery } from "../../internal/query.ts"

const path = (taskGet.path ?? "").replace("/{task_id}", "")

/** Refuses a poll with the task's id in the query. It belongs in the path. */
export const unsupportedUri = (accepted: Pick<Accepted, "path" | "query">): Refused | undefined =>
  accepted.path === path && parseQuery(accepted.query)?.has("task_id") === true
    ? refuse("unsupported_uri", "unsupported uri")
    : undefined

const methodsOf = (match: Match, prices: PriceBook): string =>
  [...match.operations.keys(), ...(answersHead(match, prices) ? ["HEAD"] : [])].join(", ")

/** Picks the operation by the request's method. The credential has to allow it. */
export const operation = (
  names: Names,
  unknownPath: (path: string) => Refused,
  prices: PriceBook,
  resources?: Resources
) => {
  const costMode = Headers.costMode.key(names)
  return (exchange: Authenticated): Effect.Effect<Routed, Refused> => {
    const { match, path, request } = exchange
    if (match === undefined) return Effect.fail(unsupportedUri(exchange) ?? unknownPath(path))
    const operation = match.operations.get(request.method)
    if (operation === undefined) {
      const allow = methodsOf(match, prices)
      return Effect.fail(refuse("method_not_allowed", `This path allows ${allow}.`, { headers: { Allow: allow } }))
    }
    const { principal } = exchange
    if (principal?.grant !== undefined || principal?.restricted !== undefined) {
      const refusal = notAllowed(principal, operation, resources, request.via)
      if (refusal !== undefined) return Effect.fail(refusal)
    }
    const wantsQuote = request.headers[costMode] !== undefined
    return Effect.succeed({ ...exchange, match, operation, wantsQuote })
  }
}
