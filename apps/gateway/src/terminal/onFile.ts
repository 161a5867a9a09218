import * as Effect from "effect/Effect"
import { CommandError } from "./print.ts"

/** Reads or writes a file that a person has named. */
export const onFile = <A>(path: string, what: "read" | "written", run: () => A): Effect.Effect<A, CommandError> =>
  Effect.try({ try: run, catch: () => new CommandError({ message: `${path} cannot be ${what}.` }) })
