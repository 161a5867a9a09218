import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"

export const summary = "Get the contract, an OpenAPI document, whole or for one operation"
export const description = "The specification of the API: the schema of every request and answer."

export const contractSource = Operation.make({
  ...kinds.ownRead,
  id: "contracts.source",
  category: "contracts",
  path: "/api/contracts/source",
  request: {
    query: Schema.Struct({
      hash: Schema.NonEmptyString.annotate({ description: "`contentHash` of `contracts.version`." }),
      bundled: Schema.optionalKey(Schema.Literal("1")).annotate({ description: "The whole contract." }),
      operation_id: Schema.optionalKey(Schema.NonEmptyString).annotate({ description: "Only this operation." })
    })
  },
  success: Open({}),
  errors: [400, 404, 409, 429, 500, 503],
  family: "data",
  access: "open"
})
