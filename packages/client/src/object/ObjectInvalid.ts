import { Charge } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"

const Issue = Schema.Struct({
  path: Schema.Array(Schema.PropertyKey),
  message: Schema.String
})

/**
 * The model gave no value of the schema. `reason`: the answer does not match, also after the repair; the model refused; the
 * answer was cut off by its length; or it has no text. It ran: `charge` is what all calls have cost together.
 */
export class ObjectInvalid extends Schema.TaggedError<ObjectInvalid>()("ObjectInvalid", {
  operation: Schema.String,
  message: Schema.String,
  reason: Schema.Literals(["mismatch", "refusal", "length", "empty"]),
  /** The last answer. */
  text: Schema.String,
  issues: Schema.Array(Issue),
  outcome: Schema.Literal("executed"),
  charge: Charge,
  /** Why there was no repair, if the call for it failed. */
  cause: Schema.optionalKey(Schema.Defect())
}) {}
