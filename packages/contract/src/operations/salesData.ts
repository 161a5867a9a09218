import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"

export const summary = "Get the last verified snapshot of sales data"
export const description = "Sales figures: what was sold, and the revenue."

/** `sourceState` reads what its 503 says. */
export const salesData = Operation.make({
  ...kinds.ownRead,
  id: "sales_api_data",
  category: "contracts",
  path: "/api/sales-api-data",
  request: {},
  success: Open({}),
  errors: [429, 500, 503],
  family: "data",
  access: "open",
  pending: [{ open: "response", what: "body of a snapshot" }]
})
