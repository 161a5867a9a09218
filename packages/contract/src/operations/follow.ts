import * as declared from "../errors/Family.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"

export const summary = "Follow a user on behalf of the linked account"
export const description = "To subscribe to what that person posts."

export const follow = Operation.make({
  id: "{social_a}.follow",
  category: "social",
  method: "POST",
  path: "/apis/v1/{social_a}/follow_{social_a}",
  request: { body: Open({}) },
  success: Open({}),
  errors: [...declared.billed, 403],
  family: "data",
  price: { contract: "per_request", amount: "pending" },
  replay: "create",
  upstream: "managed",
  pending: kinds.openBodies
})
