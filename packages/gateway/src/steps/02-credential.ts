import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Bound } from "@tollgate/contract/Operation"
import { Keys, type Principal } from "../credential/Keys.ts"
import type { Accepted, Authenticated } from "../Exchange.ts"
import { parseQuery } from "../internal/query.ts"
import { refuse, type Refused } from "../Refused.ts"

const challenge = { headers: { "WWW-Authenticate": "Bearer" } }

/** The places where official SDKs put a key, each on its own protocol's routes only. */
const carried = ({ path, query, request }: Accepted, operation: Bound | undefined): string | undefined => {
  const authorization = request.headers.authorization
  if (authorization !== undefined) return /^Bearer +([^\s]+)$/i.exec(authorization)?.[1] ?? ""
  const family = operation?.family
  if (family === "anthropic") return request.headers["x-api-key"]
  if (family === "gemini" || path.startsWith("/v1beta/")) {
    return request.headers["x-goog-api-key"] ?? parseQuery(query)?.get("key")
  }
  return undefined
}

/** Before the operation is looked at: a missing credential says nothing about a route. */
export const credential = Effect.fnUntraced(function* (
  exchange: Accepted
): Effect.fn.Return<Authenticated, Refused, Keys> {
  const operation = exchange.match?.operations.get(exchange.request.method)
  if (operation?.access === "open") return { ...exchange, principal: undefined }
  const text = carried(exchange, operation)
  if (text === undefined) {
    if (operation?.access === "hidden") return yield* refuse("route_not_found", "There is nothing at this address.")
    return yield* refuse("missing_credential", "Send a credential: Authorization: Bearer <key>.", challenge)
  }
  const keys = yield* Keys
  const principal: Option.Option<Principal> = yield* keys.find(text)
  if (Option.isNone(principal)) {
    return yield* refuse("invalid_credential", "The credential is not valid.", challenge)
  }
  return { ...exchange, principal: principal.value }
})
