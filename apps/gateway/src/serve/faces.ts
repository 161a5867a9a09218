import { Admin, AccountFace, type Accounts, type Grants } from "@tollgate/gateway"
import type { startWebhooks } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { audit } from "../store/audit.ts"
import { priceSection } from "../config/priceSection.ts"
import { configFile } from "./configFile.ts"
import { importControl } from "./importControl.ts"
import { priceStore } from "./priceStore.ts"
import type { Controlled } from "./configuration.ts"
import type { Live } from "./live.ts"
import type { Settings } from "../settings/Settings.ts"
import * as Context from "effect/Context"
import type { Banner } from "./banner.ts"
import { scenarios } from "./scenarios.ts"

const loopback = /^(?:localhost|127\.[\d.]+|\[::1\])$/

/** Whether people reach the gateway from this machine alone, as far as its settings say. */
const isLocal = ({ baseUrl, trustedProxies }: Settings): boolean =>
  trustedProxies === 0 && (Option.isNone(baseUrl) || loopback.test(new URL(baseUrl.value).hostname))

/** The account API. Pages on this machine get a key that this start created, as long as it can only reach the sandbox. */
export const accountFace = (settings: Settings, { gateway, onlySandbox, pages, services }: Live, key: Banner["key"]) =>
  Effect.context<Accounts | Grants>().pipe(
    Effect.flatMap((context) =>
      Effect.provideContext(
        AccountFace.make(gateway, {
          sandbox: () => (pages() === undefined ? undefined : scenarios),
          demo: () => (key.is === "created" && isLocal(settings) && onlySandbox() ? key : undefined)
        }),
        Context.merge(context, services)
      )
    )
  )

/** The operator's API, if there is a token for it. */
export const operatorApi = Effect.fnUntraced(function* (
  { adminToken, configWrite, data, store }: Pick<Settings, "adminToken" | "configWrite" | "data" | "store">,
  { gateway, services, upstreams }: Live,
  control: Controlled,
  webhooks: Admin.Parts["webhooks"] & Pick<Effect.Success<typeof startWebhooks>, "audited">
) {
  if (Option.isNone(adminToken)) return yield* Admin.off
  const sql = yield* SqlClient
  const file = yield* configFile({
    path: control.path,
    isAllowed: configWrite === "on",
    current: control.config,
    reload: control.reloadDecoded
  })
  const admin = Admin.make(adminToken.value, {
    upstreams,
    prices: { gateway, section: priceSection(control.config), store: priceStore(file) },
    imports: importControl(file),
    audit: Effect.tap(Effect.provideService(audit({ data, store }), SqlClient, sql), ({ differences }) =>
      Effect.ignore(webhooks.audited(differences))
    ),
    configuration: control,
    webhooks
  })
  return yield* Effect.provideContext(admin, services)
})
