import { fill, type Names } from "@tollgate/contract/Names"
import { follow } from "@tollgate/contract/operations/follow"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Decoded } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"
import { Links } from "./Links.ts"

type Headers = Readonly<Record<string, string>>

/** The operations that act for a linked user, each with the scope it needs. */
const requiredScopes: ReadonlyArray<readonly [id: string, scope: string]> = [[follow.id, "follows.write"]]

const notConfigured = refuse("upstream_misconfigured", "No platform for linked accounts is configured.")
const noCredential = refuse("missing_credential", "Acting for a linked account needs the credential that linked it.")

/** Authorizes the operations that act for a linked user. Other operations need none. */
export const authorization = Effect.fnUntraced(function* (names: Names) {
  const links = Option.getOrUndefined(yield* Effect.serviceOption(Links))
  const scopes = new Map(requiredScopes.map(([id, scope]) => [fill(id, names), scope]))

  /** The headers for the upstream call; they override the provider's. Runs before anything is reserved. */
  const authorize = ({ operation, principal }: Decoded): Effect.Effect<Headers | undefined, Refused> => {
    const scope = scopes.get(operation.id)
    if (scope === undefined) return Effect.undefined
    if (links === undefined) return Effect.fail(notConfigured)
    if (principal === undefined) return Effect.fail(noCredential)
    return Effect.map(links.token(principal, scope), (token) => ({ authorization: `Bearer ${Redacted.value(token)}` }))
  }

  /** Call this when the upstream answered 401 to these headers. */
  const turnedAway = ({ principal }: Decoded): Effect.Effect<void> =>
    links === undefined || principal === undefined ? Effect.void : Effect.ignore(links.turnedAway(principal))

  return { authorize, turnedAway }
})
