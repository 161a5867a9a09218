import * as Data from "effect/Data"

/** The cause inside the error of a request of which not one byte was written. */
export class NotSent extends Data.TaggedError("NotSent")<{ readonly cause: Error }> {
  override get message(): string {
    return this.cause.message
  }
}
