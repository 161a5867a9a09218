import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Output, toStandardError } from "../terminal/Output.ts"
import { settings, SettingsError, variableOf } from "../settings/Settings.ts"
import { layer } from "./start.ts"

/** Runs the gateway until the process gets a stop signal. */
export const launch = Effect.gen(function* () {
  const chosen = yield* settings
  const unusableStore = ({ message }: Error) =>
    Effect.fail(new SettingsError({ message: `${variableOf(chosen)}: ${message}` }))
  // Log lines for programs are alone on standard output.
  const output = chosen.log.format === "json" ? toStandardError : yield* Output
  return yield* Layer.launch(layer(chosen)).pipe(
    Effect.provideService(Output, output),
    Effect.catchTags({
      ListenError: ({ message }) =>
        Effect.fail(new SettingsError({ message: `${message}; set TOLLGATE_HOST or TOLLGATE_PORT to another` })),
      SqlError: unusableStore,
      MigrationError: unusableStore,
      SchemaTooNew: unusableStore
    })
  )
})
