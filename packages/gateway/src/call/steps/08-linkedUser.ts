import { fill, type Names } from "@tollgate/contract/Names"
import { follow } from "@tollgate/contract/operations/follow"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Decoded } from "../../exchange/Exchange.ts"
import { callerMayDisconnect } from "../../internal/callerMayDisconnect.ts"
import { Links } from "../../identity/link/Links.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

/** The operations that act for a linked user, and the scope that each needs. */
const neededScopes: ReadonlyArray<readonly [id: string, scope: string]> = [[follow.id, "follows.write"]]

const notConfigured = refuse(
  "upstream_misconfigured",
  "No platform is configured to link accounts of; the operator has to set one."
)
const noCredential = refuse("missing_credential", "This operation acts for a linked user and needs a credential.")

export const linkedUser = Effect.fnUntraced(function* (names: Names) {
  const links = Option.getOrUndefined(yield* Effect.serviceOption(Links))
  const scopes = new Map(neededScopes.map(([id, scope]) => [fill(id, names), scope]))

  /** Adds the session's headers to the exchange, before anything is reserved. */
  const authorize = <E extends Decoded>(exchange: E): Effect.Effect<E, Refused> => {
    const scope = scopes.get(exchange.operation.id)
    if (scope === undefined) return Effect.succeed(exchange)
    if (links === undefined) return Effect.fail(notConfigured)
    const { principal } = exchange
    if (principal === undefined) return Effect.fail(noCredential)
    return Effect.map(callerMayDisconnect(links.token(principal, scope)), (token) => ({
      ...exchange,
      linkedUserHeaders: { authorization: `Bearer ${Redacted.value(token)}` }
    }))
  }

  /** The upstream answered 401: the session is not used again. */
  const discardSession = ({ principal }: Decoded): Effect.Effect<void> =>
    links === undefined || principal === undefined ? Effect.void : Effect.ignore(links.turnedAway(principal))

  return { operations: new Set(scopes.keys()), authorize, discardSession }
})

export type LinkedUser = Effect.Success<ReturnType<typeof linkedUser>>
