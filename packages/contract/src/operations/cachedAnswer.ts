import * as Schema from "effect/Schema"
import * as declared from "../errors/declared.ts"
import * as Operation from "../Operation.ts"
import { ResellerEnvelope } from "../resources/ResellerEnvelope.ts"
import { limits } from "../Tier.ts"

/** Where an envelope's `cache_url` leads. */
export const cachedAnswer = Operation.make({
  id: "{reseller}.cached_answer",
  category: "social",
  summary: "An earlier answer, read again at no charge",
  description: "Kept for 24 hours, for the account that paid for it and no other.",
  method: "GET",
  path: "/apis/v1/{reseller}/cache/{id}",
  request: { path: Schema.Struct({ id: Schema.NonEmptyString }) },
  success: ResellerEnvelope,
  errors: declared.free,
  family: "data",
  price: { contract: "free" },
  limit: limits.standard,
  replay: "free",
  upstream: "gateway"
})
