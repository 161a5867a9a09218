import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SettingsError } from "../Settings.ts"
import { type ConfigError, read, readCredit } from "./read.ts"

const path = Effect.mapError(
  Config.option(Config.NonEmptyString("TOLLGATE_CONFIG")),
  () => new SettingsError({ message: "TOLLGATE_CONFIG must be the path of a file" })
)

const inFile = <A>(read: (path: string) => Effect.Effect<A, ConfigError>) =>
  Effect.flatMap(path, (path) =>
    Option.isNone(path)
      ? Effect.succeedNone
      : Effect.mapError(
          Effect.asSome(read(path.value)),
          ({ message }) => new SettingsError({ message: `TOLLGATE_CONFIG: ${message}` })
        )
  )

/** Reads the file that `TOLLGATE_CONFIG` names, each time it runs. */
export const configured = inFile(read)

/** For commands: works without the credentials of upstreams. */
export const signupCredit = Effect.map(inFile(readCredit), Option.getOrUndefined)
