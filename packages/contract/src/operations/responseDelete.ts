import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"

export const summary = "Delete an earlier response"
export const description =
  "Nobody can read it or go on from it any more. Responses that went on from it stay, with what they were made of."

/** A response that is not kept, or not any more, is `NotFound`. */
export const responseDelete = Operation.make({
  ...kinds.keptCall,
  id: "responses.delete",
  method: "DELETE",
  path: "/v1/responses/{id}",
  request: { path: Schema.Struct({ id: Schema.NonEmptyString }) },
  success: Open({ id: Schema.String, object: Schema.String, deleted: Schema.Boolean })
})
