import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Bound } from "@tollgate/contract/Operation"
import type { Keys } from "../credential/Keys.ts"
import type { Accepted, Authenticated } from "../Exchange.ts"
import { parseQuery } from "../internal/query.ts"
import { refuse, type Refused } from "../Refused.ts"

const challenge = { headers: { "WWW-Authenticate": "Bearer" } }

/** The places where official SDKs put a key, each on its own protocol's routes only. */
const carried = ({ path, query, request }: Accepted, operation: Bound | undefined): string | undefined => {
  const authorization = request.headers.authorization
  if (authorization !== undefined) return /^Bearer +([^\s]+)$/i.exec(authorization)?.[1] ?? ""
  const family = operation?.family
  if (family === "anthropic" || request.headers["anthropic-version"] !== undefined) return request.headers["x-api-key"]
  if (family === "gemini" || path.startsWith("/v1beta/")) {
    return request.headers["x-goog-api-key"] ?? parseQuery(query)?.get("key")
  }
  return undefined
}

const nothingHere = Effect.fail(refuse("route_not_found", "There is nothing at this address."))
const missing = Effect.fail(refuse("missing_credential", "Send a credential: Authorization: Bearer <key>.", challenge))
const invalid = Effect.fail(refuse("invalid_credential", "The credential is not valid.", challenge))

/** Before the operation is looked at: a missing credential says nothing about a route. */
export const credential =
  (keys: Keys["Service"]) =>
  (exchange: Accepted): Effect.Effect<Authenticated, Refused> => {
    const operation = exchange.match?.operations.get(exchange.request.method)
    if (operation?.access === "open") return Effect.succeed({ ...exchange, principal: undefined })
    const text = carried(exchange, operation)
    if (text === undefined) return operation?.access === "hidden" ? nothingHere : missing
    return Effect.flatMapEager(keys.find(text), (found) =>
      Option.isNone(found) ? invalid : Effect.succeed({ ...exchange, principal: found.value })
    )
  }
