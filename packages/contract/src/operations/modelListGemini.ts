import * as Schema from "effect/Schema"
import * as declared from "../errors/declared.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import { IntFromQuery } from "../Query.ts"
import { limits } from "../Tier.ts"

export const modelListGemini = Operation.make({
  id: "models.list_gemini",
  category: "models",
  summary: "List the available models, in the Gemini format",
  method: "GET",
  path: "/v1beta/models",
  request: {
    query: Schema.Struct({
      pageSize: Schema.optionalKey(IntFromQuery),
      pageToken: Schema.optionalKey(Schema.String).annotate({ description: "`nextPageToken` of the page before." })
    })
  },
  success: Open({}),
  errors: declared.free,
  family: "gemini",
  price: { contract: "free" },
  limit: limits.standard,
  replay: "free",
  upstream: "gateway",
  pending: [{ open: "response", what: "body" }]
})
