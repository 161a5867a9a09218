import {
  type Accounts,
  type AccountsError,
  type Grants,
  type KeyHash,
  LedgerSql,
  type Operators,
  type ServiceAccounts,
  type SignIn,
  SignupCredit
} from "@tollgate/gateway"
import { CurrentGrantPolicy } from "@tollgate/gateway/driver"
import { WebhookEndpoints, Webhooks } from "@tollgate/gateway/operator"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { existsSync } from "node:fs"
import { forCommands, place as givenPlace, refuseSetting, variableOf } from "../settings/Settings.ts"
import { databaseIn, lacksSecret, secretIn, secretMissing } from "../store/dataFolder.ts"
import { hasNoFolder, keyHash, type Place, readOnlyClient, store } from "../store/layer.ts"
import type { CommandError } from "../terminal/print.ts"

const asSettingsError =
  (place: Place) =>
  ({ message }: Error) =>
    refuseSetting(`${variableOf(place)}: ${message}`)

/** Commands do not create the data folder: a missing one is most likely a wrong path. */
export const existing = Effect.gen(function* () {
  const place: Place = yield* givenPlace
  const kept = place.secret === undefined ? secretIn(place.data) : databaseIn(place.data)
  if (hasNoFolder(place) || existsSync(kept)) return place
  if (lacksSecret(place.data)) return yield* secretMissing(place.data)
  return yield* refuseSetting(`TOLLGATE_DATA: ${place.data} is not a gateway's data folder; the first start creates it`)
})

/** What the configuration file says to commands. A running gateway is told of what a command changes. */
const references = Layer.unwrap(
  Effect.map(forCommands, ({ grantPolicy, signupCredit, webhooks }) =>
    Layer.mergeAll(
      signupCredit === undefined ? Layer.empty : Layer.succeed(SignupCredit, signupCredit),
      Layer.succeed(CurrentGrantPolicy, grantPolicy),
      Layer.succeed(Webhooks, new WebhookEndpoints(webhooks))
    )
  )
)

type InStore = Effect.Effect<
  void,
  AccountsError | CommandError | SqlError,
  Accounts | Grants | KeyHash | Operators | ServiceAccounts | SecureRandom | SignIn | SqlClient
>

const inPlace = (place: Place, effect: InStore) =>
  Effect.andThen(LedgerSql.checkpointBeforeStatements, effect).pipe(
    Effect.provide(Layer.provideMerge(store(place), references)),
    Effect.catchTags({
      SqlError: asSettingsError(place),
      MigrationError: asSettingsError(place),
      SchemaUnknown: asSettingsError(place)
    })
  )

/** Runs an effect on the gateway's store, also while the gateway is running. */
export const inStore = (effect: InStore) => Effect.flatMap(existing, (place) => inPlace(place, effect))

/** For long reads: a running gateway can write meanwhile. Opening the store first brings the tables up to date. */
export const inReadOnlyStore = (effect: Effect.Effect<void, CommandError | SqlError, KeyHash | SqlClient>) =>
  Effect.flatMap(existing, (place) =>
    Effect.andThen(
      inPlace(place, Effect.void),
      Effect.provide(effect, Layer.merge(readOnlyClient(place), keyHash(place))).pipe(
        Effect.catchTags({ SqlError: asSettingsError(place) })
      )
    )
  )
