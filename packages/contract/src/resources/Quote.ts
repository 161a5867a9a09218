import * as Schema from "effect/Schema"
import { type Amount, MicroUsd } from "../Money.ts"
import { Open } from "../Open.ts"

/** The answer in quote mode. Nothing was executed or charged. */
export const Quote = Open({
  operation_id: Schema.String,
  currency: Schema.Literal("USD"),
  estimate_micros_usd: MicroUsd,
  max_micros_usd: MicroUsd,
  price_contract: Schema.String,
  basis: Schema.String,
  expires_at: Schema.String.annotate({ format: "date-time" }),
  request_id: Schema.String
}).annotate({ identifier: "Quote" })
export interface Quote extends Schema.Schema.Type<typeof Quote> {}

/** The price of a call, before it is made. */
export interface CallPrice extends Quote {
  /** What it probably costs. */
  readonly estimate: Amount
  /** What it costs at most. */
  readonly max: Amount
}
