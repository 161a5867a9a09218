import * as Effect from "effect/Effect"
import { InputInvalid } from "../errors/errors.ts"

/** Runs what reads a caller's value, which may contain itself, be too deep for the stack, or throw while it is read. */
export const readInput = <A, E>(
  operation: string,
  read: () => Effect.Effect<A, E>
): Effect.Effect<A, E | InputInvalid> => {
  try {
    return read()
  } catch (cause) {
    const message = "The input cannot be written as JSON"
    return Effect.fail(new InputInvalid({ operation, message, outcome: "not executed", cause }))
  }
}
