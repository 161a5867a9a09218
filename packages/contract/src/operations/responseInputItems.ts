import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { IntFromQuery } from "../QueryStyle.ts"

export const summary = "List what an earlier response was made of"
export const description =
  "The items that the model read, page by page: those of the request, after those of the responses that it went on from. Free."

/** A response that is not kept, or not any more, is `NotFound`. */
export const responseInputItems = Operation.make({
  ...kinds.ownRead,
  id: "responses.input_items",
  category: "models",
  path: "/v1/responses/{id}/input_items",
  request: {
    path: Schema.Struct({ id: Schema.NonEmptyString }),
    query: Schema.Struct({
      after: Schema.optionalKey(Schema.String).annotate({ description: "`last_id` of the page before." }),
      limit: Schema.optionalKey(IntFromQuery.check(Schema.isBetween({ minimum: 1, maximum: 100 }))).annotate({
        description: "Items of a page. Default: 20."
      }),
      order: Schema.optionalKey(Schema.Literals(["asc", "desc"])).annotate({
        description: "`desc`, the default: the newest first."
      })
    })
  },
  success: Open({
    object: Schema.String,
    data: Schema.Array(Open({})),
    first_id: Schema.NullOr(Schema.String),
    last_id: Schema.NullOr(Schema.String),
    has_more: Schema.Boolean
  }),
  family: "openai",
  beyond: true
})
