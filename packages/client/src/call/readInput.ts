import * as Effect from "effect/Effect"
import { InputInvalid } from "../errors/errors.ts"

/** Runs what reads a caller's value, which may contain itself, be too deep for the stack, or throw while it is read. */
export const readInput = <A>(operation: string, read: () => A): Effect.Effect<A, InputInvalid> =>
  Effect.try({
    try: read,
    catch: (cause) =>
      new InputInvalid({ operation, message: "The input cannot be written as JSON", outcome: "not executed", cause })
  })
