import * as Data from "effect/Data"

/** The message is one line, for the person who typed the command. */
export class CommandError extends Data.TaggedError("CommandError")<{ readonly message: string }> {}
