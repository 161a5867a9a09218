import * as Schema from "effect/Schema"
import { Maybe, maybeAll, Open } from "../Open.ts"

export const ResellerEnvelope = Open({
  /** A status like HTTP's; only 200 is charged. */
  code: Schema.Int,
  ...maybeAll(
    [
      "request_id",
      "message",
      "message_zh",
      "support",
      "time",
      "time_zone",
      "docs",
      "cache_message",
      "cache_message_zh",
      "cache_url",
      "router"
    ],
    Schema.String
  ),
  time_stamp: Maybe(Schema.Int),
  params: Maybe(Schema.Record(Schema.String, Schema.Unknown)),
  data: Schema.optionalKey(Schema.Unknown)
}).annotate({ identifier: "ResellerEnvelope" })
export interface ResellerEnvelope extends Schema.Schema.Type<typeof ResellerEnvelope> {}
