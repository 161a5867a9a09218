import * as declared from "../errors/Family.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import { AnyQuery } from "../QueryStyle.ts"

export const summary = "Get visitor engagement figures of a website"
export const description =
  "Visits, visitors, time on site, pages per visit and bounce rate. Without a credential it can answer 404: send one before concluding that it is missing."

export const trafficEngagement = Operation.make({
  id: "{traffic_analytics}.traffic_engagement",
  category: "web traffic",
  method: "GET",
  path: "/apis/v1/{traffic_analytics}/website/traffic-engagement",
  request: { query: AnyQuery },
  success: Open({}),
  errors: declared.billed,
  family: "data",
  price: { contract: "per_request", amount: "pending" },
  replay: "billed",
  upstream: "managed",
  access: "hidden",
  pending: [
    { open: "request", what: "query parameters" },
    { open: "response", what: "body" }
  ]
})
