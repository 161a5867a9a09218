import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import {
  AccessTokensSql,
  type AccessTokens,
  ClientGrants,
  type Gateway,
  type Grants,
  KeyHash,
  resourceMetadata,
  resourcesAt,
  Admin,
  AccountEndpoints,
  type Accounts
} from "@tollgate/gateway"
import { offerOf } from "@tollgate/gateway/driver"
import { AuthorizationServer, ExternalIssuer } from "@tollgate/server"
import * as Rows from "@tollgate/ledger/store/rows"
import { withTrail } from "@tollgate/ledger/trail/verify"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import type { startWebhooks } from "@tollgate/gateway/operator"
import * as Context from "effect/Context"
import { ownConfigIn, type Settings } from "../settings/Settings.ts"
import { audit } from "../store/audit.ts"
import { priceSection } from "../config/plan.ts"
import { configFile, priceStore } from "./configFile.ts"
import { importControl } from "./importControl.ts"
import type { Controlled } from "./configuration.ts"
import type { Live } from "./live.ts"
import type { Banner } from "./banner.ts"
import { scenarios } from "./scenarios.ts"

type Tokens = Layer.Layer<AccessTokens, never, Carrier | Grants | KeyHash | SqlClient>

/** Which access tokens are credentials: those of the built-in authorization server, of another issuer, or none. */
export const accessTokens = ({ baseUrl, issuer, oauth }: Settings): Tokens | undefined => {
  // Settings with an issuer have a base URL.
  if (issuer !== undefined && Option.isSome(baseUrl)) {
    return Layer.provide(ExternalIssuer.layer(issuer, resourcesAt(baseUrl.value)), ClientGrants.layer)
  }
  return oauth === undefined ? undefined : AccessTokensSql.layer
}

/** The resources that tokens are for, and the endpoint groups with their pages and documents. */
export const authorization = (
  { issuer, names, oauth }: Settings,
  baseUrl: string,
  hasConsole: boolean,
  gateway: () => Gateway.Gateway
) => {
  if (issuer !== undefined) {
    const resources = resourcesAt(baseUrl)
    return Effect.succeed({ resources, endpointGroups: [resourceMetadata(resources, issuer.issuer)] })
  }
  return oauth === undefined
    ? Effect.undefined
    : AuthorizationServer.make({
        baseUrl,
        name: names.provider,
        lifetimes: oauth,
        hasConsole,
        offer: () => offerOf(gateway())
      })
}

const loopback = /^(?:localhost|127\.[\d.]+|\[::1\])$/

/** Whether people reach the gateway from this machine alone, as far as its settings say. */
const isLocal = ({ baseUrl, trustedProxies }: Settings): boolean =>
  trustedProxies === 0 && (Option.isNone(baseUrl) || loopback.test(new URL(baseUrl.value).hostname))

/** The account API. Pages on this machine get a key that this start created, as long as it can only reach the sandbox. */
export const accountEndpoints = (
  settings: Settings,
  { gateway, onlySandbox, pages, services }: Live,
  key: Banner["key"]
) =>
  Effect.context<Accounts | Grants>().pipe(
    Effect.flatMap((context) =>
      Effect.provideContext(
        AccountEndpoints.make(gateway, {
          sandbox: () => (pages() === undefined ? undefined : scenarios),
          demo: () => (key.is === "created" && isLocal(settings) && onlySandbox() ? key : undefined)
        }),
        Context.merge(context, services)
      )
    )
  )

/** Whether the gateway is reached from its own machine alone, and by an operator who signs in with a link. */
export const isPersonal = (settings: Settings): boolean =>
  Option.isNone(settings.adminToken) && isLocal(settings) && loopback.test(settings.host)

/** Without a token in the settings, a gateway of this machine alone has one nobody knows: sign-in is by link. */
export const operatorTokenOf = Effect.fnUntraced(function* (settings: Settings) {
  if (Option.isSome(settings.adminToken)) return settings.adminToken.value
  if (!isPersonal(settings) || !settings.operators.sharedToken) return undefined
  return Redacted.make(yield* (yield* KeyHash).of("token of the operator of this machine"), { label: "admin token" })
})

export const operatorApi = Effect.fnUntraced(function* (
  settings: Settings,
  token: Redacted.Redacted | undefined,
  { gateway, services, upstreams }: Live,
  control: Controlled,
  webhooks: Admin.Parts["webhooks"] & Pick<Effect.Success<typeof startWebhooks>, "audited">
) {
  const { configWrite, data, store } = settings
  const sql = yield* SqlClient
  const file = yield* configFile({
    path: control.path,
    isAllowed: configWrite === "on" || (isPersonal(settings) && control.path === ownConfigIn(data)),
    current: control.config,
    reload: control.reloadDecoded
  })
  const admin = Admin.make(token, {
    upstreams,
    prices: { gateway, section: priceSection(control.config), store: priceStore(file) },
    imports: importControl(file),
    audit: Effect.tap(
      withTrail(Effect.provideService(audit({ data, store }), SqlClient, sql), Rows.make(sql), yield* KeyHash),
      ({ differences }) => Effect.ignore(webhooks.audited(differences))
    ),
    configuration: control,
    webhooks
  })
  return yield* Effect.provideContext(admin, services)
})
