import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { CommandError, OutputClosed } from "./CommandError.ts"

const errorOf = (error: NodeJS.ErrnoException): CommandError =>
  new (error.code === "EPIPE" ? OutputClosed : CommandError)({ message: `Cannot write the output: ${error.message}` })

/** Succeeds when the text is written: the process may exit right after. */
const toStandardOutput = (text: string): Effect.Effect<void, CommandError> =>
  Effect.callback((resume) => {
    process.stdout.write(text, (error) => resume(error ? Effect.fail(errorOf(error)) : Effect.void))
  })

export const toStandardError = (text: string): Effect.Effect<void> => Effect.sync(() => process.stderr.write(text))

/** Where commands print: standard output by default. */
export const Output = Context.Reference<(text: string) => Effect.Effect<void, CommandError>>("@tollgate/cli/Output", {
  defaultValue: () => toStandardOutput
})
