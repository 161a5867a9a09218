import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { IntFromQuery } from "../QueryStyle.ts"
import { PricePage } from "../resources/PricePage.ts"

export const summary = "Get the price list: what each operation and model costs"
export const description =
  "Pricing in USD by operation, page by page: what a call costs before it is made, and which is cheap. With an operation_id, also what each of its models costs."

export const accountPrices = Operation.make({
  ...kinds.ownRead,
  id: "account.prices",
  category: "account",
  path: "/v1/prices",
  request: {
    query: Schema.Struct({
      operation_id: Schema.optionalKey(Schema.String).annotate({ description: "Only the price of this operation." }),
      category: Schema.optionalKey(Schema.String).annotate({ description: "Only the prices of this category." }),
      after: Schema.optionalKey(Schema.String).annotate({ description: "`next` of the page before." }),
      limit: Schema.optionalKey(IntFromQuery.check(Schema.isBetween({ minimum: 1, maximum: 100 }))).annotate({
        description: "Entries of a page. Default: 20."
      })
    })
  },
  success: PricePage,
  family: "usage",
  beyond: true
})
