import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import { AccessTokens, ClientGrants } from "@tollgate/gateway"
import { refuse, type Resources } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { IssuerSettings } from "./IssuerSettings.ts"
import * as IssuerTokens from "./IssuerTokens.ts"
import type { VerifiedToken } from "./VerifiedToken.ts"

/** Many clients write the address of an origin with a slash at its end. */
const withSlash = (resource: string): ReadonlyArray<string> => [resource, `${resource}/`]

const noAccount = Effect.fail(
  refuse("access_denied", "The access token is valid, but no account of this gateway belongs to its subject.")
)

const make = Effect.fnUntraced(function* (settings: IssuerSettings, resources: Resources) {
  const { askAbove = null, dayLimit = null, issuer, spendingLimit = null } = settings
  const terms = { limit: spendingLimit, dayLimit, askAbove }
  const forAll = new Set([...withSlash(resources.api), ...(settings.audiences ?? [])])
  const tokens = yield* IssuerTokens.make(settings, [...forAll, ...withSlash(resources.tools)])
  const { principalOf } = yield* ClientGrants

  const resourceOf = ({ audiences }: VerifiedToken) =>
    audiences.some((audience) => forAll.has(audience)) ? resources.api : resources.tools

  const principal = (token: VerifiedToken) => {
    const { account, client, scopes } = token
    if (account === undefined) return noAccount
    return principalOf(
      { account, client: { id: `${issuer} ${client}`, name: client }, scopes, resource: resourceOf(token) },
      terms
    )
  }

  return AccessTokens.of({
    find: (text) =>
      Effect.flatMapEager(tokens.verify(text), (found) =>
        Option.isNone(found) ? Effect.succeed(Option.none()) : Effect.map(principal(found.value), Option.some)
      )
  })
})

export const layer = (
  settings: IssuerSettings,
  resources: Resources
): Layer.Layer<AccessTokens, never, ClientGrants | Carrier> => Layer.effect(AccessTokens, make(settings, resources))
