import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { ResellerEnvelope } from "../resources/ResellerEnvelope.ts"

export const summary = "Read an earlier answer again for free"
export const description = "A cached response, stored for 24 hours; only the account that paid for it can read it."

/** The target of an envelope's `cache_url`. */
export const cachedAnswer = Operation.make({
  ...kinds.ownRead,
  id: "{reseller}.cached_answer",
  category: "social",
  path: "/apis/v1/{reseller}/cache/{id}",
  request: {
    path: Schema.Struct({ id: Schema.NonEmptyString.annotate({ description: "The last part of `cache_url`." }) })
  },
  success: ResellerEnvelope,
  family: "data"
})
