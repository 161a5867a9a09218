import { fill, type Names } from "@tollgate/contract/Names"
import { follow } from "@tollgate/contract/operations/follow"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Decoded } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"
import { Links } from "./Links.ts"

type Headers = Readonly<Record<string, string>>

/** The scope that each operation needs which acts for a linked user. */
const needed: ReadonlyArray<readonly [id: string, scope: string]> = [[follow.id, "follows.write"]]

const notConfigured = refuse("upstream_misconfigured", "No platform is configured whose accounts could be linked.")
const nobody = refuse("missing_credential", "A linked account acts for whoever linked it.")

/** What an operation that acts for a linked user needs of its session. Others need nothing. */
export const authorization = Effect.fnUntraced(function* (names: Names) {
  const links = Option.getOrUndefined(yield* Effect.serviceOption(Links))
  const scopes = new Map(needed.map(([id, scope]) => [fill(id, names), scope]))

  /** The headers that go upstream for this call, over those of the provider. Asked for before anything is reserved. */
  const authorize = ({ operation, principal }: Decoded): Effect.Effect<Headers | undefined, Refused> => {
    const scope = scopes.get(operation.id)
    if (scope === undefined) return Effect.undefined
    if (links === undefined) return Effect.fail(notConfigured)
    if (principal === undefined) return Effect.fail(nobody)
    return Effect.map(links.token(principal, scope), (token) => ({ authorization: `Bearer ${Redacted.value(token)}` }))
  }

  /** The upstream said 401 to that. */
  const turnedAway = ({ principal }: Decoded): Effect.Effect<void> =>
    links === undefined || principal === undefined ? Effect.void : Effect.ignore(links.turnedAway(principal))

  return { authorize, turnedAway }
})
