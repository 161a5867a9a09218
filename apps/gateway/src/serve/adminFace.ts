import { Admin } from "@tollgate/gateway"
import type { startWebhooks } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { audit } from "../store/audit.ts"
import { priceSection } from "../config/priceSection.ts"
import type { Controlled } from "./configuration.ts"
import type { Live } from "./live.ts"
import type { Settings } from "../settings/Settings.ts"

/** The operator's API, if there is a token for it. */
export const adminFace = Effect.fnUntraced(function* (
  { adminToken, data, store }: Pick<Settings, "adminToken" | "data" | "store">,
  { gateway, services, upstreams }: Live,
  control: Controlled,
  webhooks: Admin.Parts["webhooks"] & Pick<Effect.Success<typeof startWebhooks>, "audited">
) {
  if (Option.isNone(adminToken)) return Admin.face(yield* Admin.off)
  const sql = yield* SqlClient
  const admin = Admin.make(adminToken.value, {
    upstreams,
    prices: { gateway, section: priceSection(control.config) },
    audit: Effect.tap(Effect.provideService(audit({ data, store }), SqlClient, sql), ({ differences }) =>
      Effect.ignore(webhooks.audited(differences))
    ),
    configuration: control,
    webhooks
  })
  return Admin.face(yield* Effect.provideContext(admin, services))
})
