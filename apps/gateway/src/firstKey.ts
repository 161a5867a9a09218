import { Accounts } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import type { Banner } from "./banner.ts"
import type { Settings } from "./Settings.ts"

const bootstrap: Banner["key"] = { is: "bootstrap" }

/** Any number: it names the lock among those of the database. */
const lockId = "7405318264193"

/** Of several gateways that start together, one creates the key and the others find it. */
const oneAtATime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  SqlClient.use((sql) =>
    sql.onDialectOrElse({
      pg: () => sql.withTransaction(Effect.andThen(sql.unsafe(`SELECT pg_advisory_xact_lock(${lockId})`), effect)),
      orElse: () => effect
    })
  )

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

/** The first start creates an account and a key. The key is shown once; the store holds its hash. */
export const firstKey = (settings: Pick<Settings, "bootstrapKey">) => oneAtATime(createOrFind(settings))
