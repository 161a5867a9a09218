import * as Schema from "effect/Schema"
import { usd } from "../Money.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { OpenQuery } from "../QueryStyle.ts"
import { ResellerEnvelope } from "../resources/ResellerEnvelope.ts"

export const summary = "List the videos behind a creator search insight"
export const description = "Ideas for content: what creators make about a trending search."

export const creatorInsights = Operation.make({
  ...kinds.dataRead,
  id: "{reseller}.{social_c}.creator_search_insights_videos",
  category: "social",
  path: "/apis/v1/{reseller}/{social_c}/app/v3/fetch_creator_search_insights_videos",
  request: {
    query: OpenQuery({ keyword: Schema.optionalKey(Schema.String).annotate({ description: "A search keyword." }) })
  },
  success: ResellerEnvelope,
  price: { contract: "body_code", amount: usd("0.00145"), field: "code", equals: 200 },
  pending: [
    { open: "parameter", role: "offset", type: "integer", description: "How many to skip." },
    { open: "parameter", role: "page_size", type: "integer", description: "How many to return." },
    { open: "response", what: "fields of data" }
  ]
})
