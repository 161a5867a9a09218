import * as Schema from "effect/Schema"
import { usd } from "../Money.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { OpenQuery } from "../QueryStyle.ts"
import { ResellerEnvelope } from "../resources/ResellerEnvelope.ts"

export const summary = "Get the details of a tag"
export const description = "A hashtag: what it is about, and how many posts and views it has."

export const tagDetail = Operation.make({
  ...kinds.dataRead,
  id: "{reseller}.{social_c}.tag_detail",
  category: "social",
  path: "/apis/v1/{reseller}/{social_c}/web/fetch_tag_detail",
  request: {
    query: OpenQuery({ tag_name: Schema.optionalKey(Schema.String).annotate({ description: "The name of the tag." }) })
  },
  success: ResellerEnvelope,
  price: { contract: "body_code", amount: usd("0.00145"), field: "code", equals: 200 },
  pending: [{ open: "response", what: "fields of data" }]
})
