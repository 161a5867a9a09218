import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { IntFromQuery } from "../QueryStyle.ts"
import { UsageReport } from "../resources/UsageReport.ts"

export const summary = "Report usage and charges of the credential by day"
export const description =
  "What was spent, billed and consumed in a time, such as last week or a month: how many calls were made and failed, tokens and cost."

export const usage = Operation.make({
  ...kinds.ownRead,
  id: "usage",
  category: "account",
  path: "/v1/usage",
  request: {
    query: Schema.Struct({
      start_time: IntFromQuery.annotate({ format: "int64" })
        .check(Schema.isGreaterThan(0, { expected: "a positive Unix timestamp" }))
        .annotate({ description: "Unix seconds." }),
      end_time: Schema.optionalKey(IntFromQuery.annotate({ format: "int64" })).annotate({
        description: "Unix seconds. Defaults to now."
      })
    })
  },
  success: UsageReport,
  family: "usage"
})
