import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { AnyQuery } from "../QueryStyle.ts"

export const summary = "Get visitor engagement figures of a website"
export const description =
  "Visits, visitors, time on site, pages per visit and bounce rate. Without a credential it can answer 404: send one before concluding that it is missing."

export const trafficEngagement = Operation.make({
  ...kinds.dataRead,
  id: "{traffic_analytics}.traffic_engagement",
  category: "web traffic",
  path: "/apis/v1/{traffic_analytics}/website/traffic-engagement",
  request: { query: AnyQuery },
  success: Open({}),
  price: { contract: "per_request", amount: "pending" },
  access: "hidden",
  pending: [
    { open: "request", what: "query parameters" },
    { open: "response", what: "body" }
  ]
})
