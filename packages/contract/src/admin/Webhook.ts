import * as Schema from "effect/Schema"
import { Amount, Text, TextOrNull, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"
import { IntFromQuery } from "../QueryStyle.ts"

const State = Schema.Literals(["pending", "delivered", "failed"])

export const Webhook = Schema.Struct({
  id: Schema.String,
  endpoint: Text("The id of the endpoint."),
  type: Schema.String,
  state: State,
  attempts: Schema.Int,
  created_at: Time,
  next_at: Schema.NullOr(Time).annotate({ description: "When it is sent next, while it is pending." }),
  ended_at: Schema.NullOr(Time).annotate({ description: "When it was delivered or given up." }),
  result: TextOrNull("Of the last attempt: a status or a kind of failure.")
}).annotate({ identifier: "Webhook" })
export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}

/** Where messages go. Its address is shown without path and query, which can contain a credential. */
export const WebhookEndpoint = Schema.Struct({
  id: Schema.String,
  origin: Schema.String,
  events: Schema.Array(Schema.String),
  balance_below_micros_usd: Schema.NullOr(Amount)
}).annotate({ identifier: "WebhookEndpoint" })
export interface WebhookEndpoint extends Schema.Schema.Type<typeof WebhookEndpoint> {}

export const Webhooks = Schema.Struct({
  endpoints: Schema.Array(WebhookEndpoint),
  webhooks: Schema.Array(Webhook).annotate({ description: "The newest first." })
})
export interface Webhooks extends Schema.Schema.Type<typeof Webhooks> {}

export const WebhooksQuery = Schema.Struct({
  state: Schema.optionalKey(State),
  limit: Schema.optionalKey(IntFromQuery.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))).annotate({
    description: "1 to 1,000; 100 by default."
  })
})
export interface WebhooksQuery extends Schema.Schema.Type<typeof WebhooksQuery> {}

export const webhooks = {
  webhooks: Api.get("/webhooks", {
    summary: "The webhook endpoints and their messages, the newest first",
    query: WebhooksQuery,
    success: Webhooks,
    example: { query: { state: "failed", limit: "20" } }
  }),
  resendWebhook: Api.post("/webhooks/{id}/resend", {
    summary: "Sends a message again, even if it was delivered",
    role: ["support"],
    body: Api.NoFields,
    success: Webhook,
    replay: "free"
  })
} as const
