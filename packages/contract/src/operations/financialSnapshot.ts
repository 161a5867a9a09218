import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { OpenQuery } from "../QueryStyle.ts"
import { FinancialSnapshot } from "../resources/FinancialSnapshot.ts"

export const summary = "Get a company's current financial metrics"
export const description =
  "Fundamentals of a stock: valuation, price to earnings, earnings per share, market capitalization, margins, growth."

export const financialSnapshot = Operation.make({
  ...kinds.dataRead,
  id: "financial.metrics_snapshot",
  category: "finance",
  path: "/apis/v1/financial/financial-metrics/snapshot",
  request: {
    query: OpenQuery({
      ticker: Schema.optionalKey(Schema.String).annotate({ description: "The company's ticker symbol." }),
      cik: Schema.optionalKey(Schema.String).annotate({
        description: "The registry key, in place of the ticker."
      })
    })
  },
  success: FinancialSnapshot,
  price: { contract: "per_request", amount: "pending" }
})
