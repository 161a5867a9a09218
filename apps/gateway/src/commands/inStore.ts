import { type Accounts, type AccountsError, SignupCredit } from "@tollgate/gateway"
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
import type { CommandError } from "./chosen.ts"

const unusable = ({ message }: Error) => Effect.fail(new SettingsError({ message: `TOLLGATE_DATA: ${message}` }))

/** A folder that is not there is more often a slip of the pen than a new gateway. */
const existing = Effect.flatMap(dataFolder, (data) =>
  existsSync(secretIn(data))
    ? Effect.succeed(data)
    : Effect.fail(
        new SettingsError({ message: `TOLLGATE_DATA: ${data} is no gateway's folder; the first start makes one` })
      )
)

/** As the gateway's own file sets it. */
const credit = Layer.unwrap(
  Effect.map(signupCredit, (credit) => (credit === undefined ? Layer.empty : Layer.succeed(SignupCredit, credit)))
)

/** Runs on the gateway's own data folder, also while the gateway runs. */
export const inStore = (effect: Effect.Effect<void, AccountsError | CommandError | SqlError, Accounts | SqlClient>) =>
  Effect.flatMap(existing, (data) => Effect.provide(effect, Layer.provide(store({ data }), credit))).pipe(
    Effect.catchTags({ SqlError: unusable, MigrationError: unusable, SchemaTooNew: unusable })
  )

/** For what reads much: a gateway that runs goes on writing meanwhile. What a killed one left is brought in before. */
export const reading = (effect: Effect.Effect<void, CommandError | SqlError, SqlClient>) =>
  Effect.flatMap(existing, (data) =>
    Effect.andThen(
      inStore(Effect.void),
      Effect.provide(effect, NodeSqliteClient.layer({ filename: databaseIn(data), readonly: true }))
    )
  ).pipe(Effect.catchTags({ SqlError: unusable }))
