import * as Data from "effect/Data"
import { errorReported } from "effect/Runtime"

/** The message is one line, for the person who typed the command. */
export class CommandError extends Data.TaggedError("CommandError")<{ readonly message: string }> {}

/** The reader of the output left, as `head` does: the program ends with exit code 1 and says nothing. */
export class OutputClosed extends CommandError {
  override readonly [errorReported] = false
}
