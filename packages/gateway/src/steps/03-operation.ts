import * as Effect from "effect/Effect"
import type { Authenticated, Routed } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"
import { unsupportedUri } from "../task/unsupportedUri.ts"

export const operation = (exchange: Authenticated): Effect.Effect<Routed, Refused> => {
  const { match, request } = exchange
  if (match === undefined) {
    return Effect.fail(unsupportedUri(exchange) ?? refuse("route_not_found", "There is nothing at this address."))
  }
  const found = match.operations.get(request.method)
  if (found === undefined) {
    const allow = [...match.operations.keys()].join(", ")
    return Effect.fail(refuse("method_not_allowed", `This address takes ${allow}.`, { headers: { Allow: allow } }))
  }
  return Effect.succeed({ ...exchange, match, operation: found })
}
