import { type Accounts, type AccountsError, type Grants, LedgerSql, type SignIn, SignupCredit } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { existsSync } from "node:fs"
import { signupCredit } from "../config/environment.ts"
import { databaseIn, secretIn } from "../dataFolder.ts"
import { dataFolder, SettingsError } from "../Settings.ts"
import { store } from "../store.ts"
import type { CommandError } from "./CommandError.ts"

const asSettingsError = ({ message }: Error) => Effect.fail(new SettingsError({ message: `TOLLGATE_DATA: ${message}` }))

/** Commands do not create the data folder: a missing one is most likely a wrong path. */
const existingFolder = Effect.flatMap(dataFolder, (data) =>
  existsSync(secretIn(data))
    ? Effect.succeed(data)
    : Effect.fail(
        new SettingsError({
          message: `TOLLGATE_DATA: ${data} is not a gateway's data folder; the first start creates it`
        })
      )
)

/** The signup credit from the configuration file. */
const credit = Layer.unwrap(
  Effect.map(signupCredit, (credit) => (credit === undefined ? Layer.empty : Layer.succeed(SignupCredit, credit)))
)

/** Runs an effect on the gateway's store, also while the gateway is running. */
export const inStore = (
  effect: Effect.Effect<void, AccountsError | CommandError | SqlError, Accounts | Grants | SignIn | SqlClient>
) =>
  Effect.flatMap(existingFolder, (data) =>
    Effect.provide(Effect.andThen(LedgerSql.checkpointBeforeStatements, effect), Layer.provide(store({ data }), credit))
  ).pipe(
    Effect.catchTags({ SqlError: asSettingsError, MigrationError: asSettingsError, SchemaTooNew: asSettingsError })
  )

/** For long reads: a running gateway can write meanwhile. Opening the store first brings the tables up to date. */
export const inReadOnlyStore = (effect: Effect.Effect<void, CommandError | SqlError, SqlClient>) =>
  Effect.flatMap(existingFolder, (data) =>
    Effect.andThen(
      inStore(Effect.void),
      Effect.provide(effect, NodeSqliteClient.layer({ filename: databaseIn(data), readonly: true }))
    )
  ).pipe(Effect.catchTags({ SqlError: asSettingsError }))
