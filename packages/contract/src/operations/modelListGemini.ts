import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { IntFromQuery } from "../QueryStyle.ts"

export const summary = "List the available models, in the Gemini format"
export const description = "With the header `x-goog-api-key`, `GET /v1/models` answers the same."

export const modelListGemini = Operation.make({
  ...kinds.ownRead,
  id: "models.list_gemini",
  category: "models",
  path: "/v1beta/models",
  aliases: ["/v1/models"],
  request: {
    query: Schema.Struct({
      pageSize: Schema.optionalKey(IntFromQuery),
      pageToken: Schema.optionalKey(Schema.String).annotate({ description: "`nextPageToken` of the page before." })
    })
  },
  success: Open({}),
  family: "gemini",
  pending: [{ open: "response", what: "body" }]
})
