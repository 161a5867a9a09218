import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import { OpenQuery } from "../QueryStyle.ts"

export const summary = "Finish linking: the platform redirects the browser here"

export const linkCallback = Operation.make({
  id: "{social_a}.oauth_callback",
  category: "account",
  method: "GET",
  path: "/apis/v1/{social_a}/oauth_callback",
  request: {
    query: OpenQuery({
      state: Schema.optionalKey(Schema.String),
      code: Schema.optionalKey(Schema.String),
      error: Schema.optionalKey(Schema.String).annotate({
        description: "In place of the code, if the user or the platform refused."
      })
    })
  },
  success: Schema.String,
  contentType: "text/html",
  errors: [400, 429, 500, 502, 503],
  family: "data",
  price: { contract: "free" },
  replay: "create",
  upstream: "gateway",
  access: "open",
  /** The platform sends the user's browser here; no program calls it. */
  client: false,
  pending: [{ open: "request", what: "parameters beside state and the authorization code" }]
})
