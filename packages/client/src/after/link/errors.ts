import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { linkStart } from "@tollgate/contract/operations/linkStart"
import type { CallError } from "../../errors/errors.ts"

/**
 * The approval address expired before an approval was seen. A user who declined looks the same. `cause` is the last refusal
 * of the write, if there was one.
 */
export class LinkExpired extends TaggedError("LinkExpired")<{
  readonly operation: string
  readonly message: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly outcome: "not executed"
  readonly cause?: unknown
}> {}

/** The approval address is not a web address, or contains the state of another link. It was not opened. */
export class LinkUnusable extends TaggedError("LinkUnusable")<{
  readonly operation: string
  readonly message: string
  readonly outcome: "not executed"
}> {}

/** The errors of a link, besides those of the program's own `open` and `confirm`. */
export type LinkError = CallError<typeof linkStart> | LinkExpired | LinkUnusable
