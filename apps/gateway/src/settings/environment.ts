import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SettingsError } from "./Settings.ts"
import { readCredit, readWebhooks } from "../config/read.ts"

/** The file of the configuration, if there is one. */
export const configPath = Effect.mapError(
  Config.option(Config.NonEmptyString("TOLLGATE_CONFIG")),
  () => new SettingsError({ message: "TOLLGATE_CONFIG must be the path of a file" })
)

/** For commands: works without the credentials of upstreams. */
export const signupCredit = Effect.flatMap(configPath, (path) =>
  Option.isNone(path)
    ? Effect.undefined
    : Effect.mapError(
        readCredit(path.value),
        ({ message }) => new SettingsError({ message: `TOLLGATE_CONFIG: ${message}` })
      )
)

/** For commands: the endpoints without their secrets. */
export const webhooks = Effect.flatMap(configPath, (path) =>
  Option.isNone(path)
    ? Effect.succeed([])
    : Effect.mapError(
        readWebhooks(path.value),
        ({ message }) => new SettingsError({ message: `TOLLGATE_CONFIG: ${message}` })
      )
)
