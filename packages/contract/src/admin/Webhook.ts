import type { Amount } from "../account/Amount.ts"

/** A message to one endpoint: `GET /admin/v1/webhooks`. */
export interface Webhook {
  readonly id: string
  /** The id of the endpoint. */
  readonly endpoint: string
  readonly type: string
  readonly state: "pending" | "delivered" | "failed"
  readonly attempts: number
  readonly created_at: string
  /** When it is sent next, while it is pending. */
  readonly next_at: string | null
  /** When it was delivered or given up. */
  readonly ended_at: string | null
  /** Of the last attempt: a status or a kind of failure. */
  readonly result: string | null
}

/** Where messages go. Its address is shown without path and query, which can contain a credential. */
export interface WebhookEndpoint {
  readonly id: string
  readonly origin: string
  readonly events: ReadonlyArray<string>
  readonly balance_below_micros_usd: Amount | null
}

export interface Webhooks {
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  /** The newest first. */
  readonly webhooks: ReadonlyArray<Webhook>
}

export interface WebhooksQuery {
  readonly state?: Webhook["state"]
  /** 1 to 1,000; 100 by default. */
  readonly limit?: number
}
