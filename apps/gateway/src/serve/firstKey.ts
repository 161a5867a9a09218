import { Accounts } from "@tollgate/gateway"
import { oneAtATime } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Banner } from "./banner.ts"
import type { Settings } from "../settings/Settings.ts"

const bootstrap: Banner["key"] = { is: "bootstrap" }

const createOrFind = Effect.fnUntraced(function* (settings: Pick<Settings, "bootstrapKey">) {
  const accounts = yield* Accounts
  const [first] = yield* accounts.list
  const { id } = first ?? (yield* accounts.create("default"))
  if (Option.isSome(settings.bootstrapKey)) {
    yield* accounts.adoptKey(id, settings.bootstrapKey.value, "bootstrap")
    return bootstrap
  }
  if ((yield* accounts.listKeys()).length > 0) {
    const existing: Banner["key"] = { is: "existing", account: id }
    return existing
  }
  const made = yield* accounts.createKey(id, { label: "demo" })
  const created: Banner["key"] = { is: "created", ...made }
  return created
})

/**
 * The first start creates an account and a key. The key is shown once; the store holds its hash. Of several gateways that
 * start together, one creates the key and the others find it.
 */
export const firstKey = (settings: Pick<Settings, "bootstrapKey">) => oneAtATime("first key")(createOrFind(settings))
