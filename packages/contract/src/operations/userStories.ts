import { usd } from "../Money.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { AnyQuery } from "../QueryStyle.ts"
import { ResellerEnvelope } from "../resources/ResellerEnvelope.ts"

export const summary = "List the stories of a user"
export const description = "The pictures and videos of a profile that are shown for a day."

export const userStories = Operation.make({
  ...kinds.dataRead,
  id: "{reseller}.{social_b}.user_stories",
  category: "social",
  path: "/apis/v1/{reseller}/{social_b}/v2/fetch_user_stories",
  request: { query: AnyQuery },
  success: ResellerEnvelope,
  price: { contract: "body_code", amount: usd("0.0029"), field: "code", equals: 200 },
  pending: [
    { open: "request", what: "query parameters" },
    { open: "response", what: "fields of data" }
  ]
})
