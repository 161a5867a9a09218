import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"

export const summary = "Get the version of the contract"
export const description = "It changes when the contract does; with its hash you get the contract."

export const contractVersion = Operation.make({
  ...kinds.ownRead,
  id: "contracts.version",
  category: "contracts",
  path: "/api/contracts/version",
  request: {},
  success: Open({ contentHash: Schema.String, docsRevision: Schema.String }),
  errors: [429, 500, 503],
  family: "data",
  access: "open"
})
