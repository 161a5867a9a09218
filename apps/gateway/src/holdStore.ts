import { GatewayLock } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as dataFolder from "./dataFolder.ts"
import { type Settings, SettingsError } from "./Settings.ts"

const inUse = ({ holder }: GatewayLock.StoreLocked): SettingsError =>
  new SettingsError({
    message: `TOLLGATE_STORE: another gateway${holder === undefined ? "" : ` (${holder})`} is using the database; stop it first`
  })

/** A gateway whose connection was gone for long enough that another could take the store must not go on. */
const stop = Effect.andThen(
  Effect.logError("another gateway has taken the store; this one stops"),
  Effect.sync(() => process.kill(process.pid, "SIGTERM"))
)

const holdDatabase = Effect.fnUntraced(function* (address: Redacted.Redacted) {
  const taken = yield* Effect.catchTag(GatewayLock.hold(address), "StoreLocked", (error) => Effect.fail(inUse(error)))
  yield* Effect.forkScoped(Effect.andThen(taken, stop))
})

/** One gateway at a time: a second would take the calls of the first for calls that a crash left open. */
export const holdStore = ({ data, store }: Pick<Settings, "data" | "store">) =>
  store === undefined ? dataFolder.hold(data) : holdDatabase(store)
