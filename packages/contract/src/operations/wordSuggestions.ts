import * as Schema from "effect/Schema"
import { usd } from "../Money.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { OpenQuery } from "../QueryStyle.ts"
import { ResellerEnvelope } from "../resources/ResellerEnvelope.ts"

export const summary = "List the search words that a shop suggests"
export const description =
  "Autocomplete and related keywords: the words to which a search for products completes what was typed."

export const wordSuggestions = Operation.make({
  ...kinds.dataRead,
  id: "{reseller}.{social_c}.search_word_suggestion",
  category: "social",
  path: "/apis/v1/{reseller}/{social_c}/shop/web/fetch_search_word_suggestion_v2",
  request: {
    query: OpenQuery({ search_word: Schema.optionalKey(Schema.String).annotate({ description: "A search keyword." }) })
  },
  success: ResellerEnvelope,
  price: { contract: "body_code", amount: usd("0.00145"), field: "code", equals: 200 },
  pending: [
    { open: "parameter", role: "language", type: "string", description: "The language." },
    { open: "parameter", role: "region", type: "string", description: "A region code." },
    { open: "response", what: "fields of data" }
  ]
})
