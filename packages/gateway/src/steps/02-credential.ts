import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Bound } from "@tollgate/contract/Operation"
import type { Keys } from "../credential/Keys.ts"
import type { Accepted, Authenticated } from "../Exchange.ts"
import { parseQuery } from "../internal/query.ts"
import { refuse, type Refused } from "../Refused.ts"

const challenge = { headers: { "WWW-Authenticate": "Bearer" } }

/** Reads the key from where the official SDKs put it, each on its own protocol's routes only. `""`: malformed. */
const readKey = ({ path, query, request }: Accepted, operation: Bound | undefined): string | undefined => {
  const authorization = request.headers.authorization
  if (authorization !== undefined) return /^Bearer +([^\s]+)$/i.exec(authorization)?.[1] ?? ""
  const family = operation?.family
  if (family === "anthropic" || request.headers["anthropic-version"] !== undefined) return request.headers["x-api-key"]
  if (family === "gemini" || path.startsWith("/v1beta/")) {
    return request.headers["x-goog-api-key"] ?? parseQuery(query)?.get("key")
  }
  return undefined
}

const routeNotFound = Effect.fail(refuse("route_not_found", "No route matches this path."))
const missing = Effect.fail(refuse("missing_credential", "Send a credential: Authorization: Bearer <key>.", challenge))
const invalid = Effect.fail(refuse("invalid_credential", "The credential is not valid.", challenge))

/** Comes before the operation, so that a caller without a credential does not learn which routes exist. */
export const credential =
  (keys: Keys["Service"]) =>
  (exchange: Accepted): Effect.Effect<Authenticated, Refused> => {
    const operation = exchange.match?.operations.get(exchange.request.method)
    if (operation?.access === "open") return Effect.succeed({ ...exchange, principal: undefined })
    const text = readKey(exchange, operation)
    if (text === undefined) return operation?.access === "hidden" ? routeNotFound : missing
    return Effect.flatMapEager(keys.find(text), (found) =>
      Option.isNone(found) ? invalid : Effect.succeed({ ...exchange, principal: found.value })
    )
  }
