import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { CommandError } from "./CommandError.ts"

/** Succeeds when the text is written: the process may exit right after. */
const toStandardOutput = (text: string): Effect.Effect<void, CommandError> =>
  Effect.callback((resume) => {
    process.stdout.write(text, (error) =>
      resume(
        error ? Effect.fail(new CommandError({ message: `Cannot write the output: ${error.message}` })) : Effect.void
      )
    )
  })

/** Where commands print: standard output by default. */
export const Output = Context.Reference<(text: string) => Effect.Effect<void, CommandError>>("@tollgate/cli/Output", {
  defaultValue: () => toStandardOutput
})
