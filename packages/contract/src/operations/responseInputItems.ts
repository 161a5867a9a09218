import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { ItemList, ItemQuery } from "../resources/Conversation.ts"

export const summary = "List what an earlier response was made of"
export const description =
  "The items that the model read, page by page: those of the request, after those of the responses that it went on from."

/** A response that is not kept, or not any more, is `NotFound`. */
export const responseInputItems = Operation.make({
  ...kinds.keptCall,
  id: "responses.input_items",
  method: "GET",
  path: "/v1/responses/{id}/input_items",
  request: { path: Schema.Struct({ id: Schema.NonEmptyString }), query: ItemQuery },
  success: ItemList
})
