import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import {
  AccessTokensSql,
  type AccessTokens,
  ClientGrants,
  type Gateway,
  type Grants,
  type KeyHash,
  resourceMetadata,
  resourcesAt
} from "@tollgate/gateway"
import { offerOf } from "@tollgate/gateway/driver"
import { AuthorizationServer, ExternalIssuer } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Settings } from "../settings/Settings.ts"

type Tokens = Layer.Layer<AccessTokens, never, Carrier | Grants | KeyHash | SqlClient>

/** Which access tokens are credentials: those of the built-in authorization server, of another issuer, or none. */
export const accessTokens = ({ baseUrl, issuer, oauth }: Settings): Tokens | undefined => {
  // Settings with an issuer have a base URL.
  if (issuer !== undefined && Option.isSome(baseUrl)) {
    return Layer.provide(ExternalIssuer.layer(issuer, resourcesAt(baseUrl.value)), ClientGrants.layer)
  }
  return oauth === undefined ? undefined : AccessTokensSql.layer
}

/** The resources that tokens are for, and the faces with their pages and documents. */
export const authorization = (
  { adminToken, issuer, names, oauth }: Settings,
  baseUrl: string,
  hasConsole: boolean,
  gateway: () => Gateway.Gateway
) => {
  if (issuer !== undefined) {
    const resources = resourcesAt(baseUrl)
    return Effect.succeed({ resources, faces: [resourceMetadata(resources, issuer.issuer)] })
  }
  return oauth === undefined
    ? Effect.undefined
    : AuthorizationServer.make({
        baseUrl,
        name: names.provider,
        lifetimes: oauth,
        hasConsole,
        offer: () => offerOf(gateway()),
        operatorToken: Option.getOrUndefined(adminToken)
      })
}
