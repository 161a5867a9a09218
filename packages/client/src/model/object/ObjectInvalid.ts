import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Issue } from "../schema.ts"

/**
 * The model gave no value of the schema. `reason`: the answer does not match, also after the repair; the model refused; the
 * answer was cut off by its length; or it has no text. It ran: `charge` is what all calls have cost together.
 */
export class ObjectInvalid extends TaggedError("ObjectInvalid")<{
  readonly operation: string
  readonly message: string
  readonly reason: "mismatch" | "refusal" | "length" | "empty"
  /** The last answer. */
  readonly text: string
  readonly issues: ReadonlyArray<Issue>
  readonly outcome: "executed"
  readonly charge: Charge
  /** Why there was no repair, if the call for it failed. */
  readonly cause?: unknown
}> {}
