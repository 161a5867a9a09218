import { TaggedError } from "@tollgate/contract/errors/TaggedError"

/** The call would have to wait, or has waited, longer than its patience. Nothing was sent. */
export class PaceExceeded extends TaggedError("PaceExceeded")<{
  readonly operation: string
  readonly message: string
  readonly outcome: "not executed"
  /** The earliest time to try again, in milliseconds, as far as is known. Infinite if nothing is allowed at all. */
  readonly retryAfter: number
}> {}
