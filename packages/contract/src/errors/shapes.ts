import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import type { Family } from "./Family.ts"

const optional = Schema.optionalKey(Schema.String)

const RateLimit = Open({ code: Schema.String, message: Schema.String, type: Schema.Literal("rate_limit_error") })

/** The body of the gateway's own errors, by family. */
export const shapes = {
  usage: Open({ error: Schema.Union([Schema.String, RateLimit]) }),
  data: Open({ error: Open({ code: Schema.String, message: Schema.String, type: optional, request_id: optional }) }),
  openai: Open({
    error: Open({
      message: Schema.String,
      type: Schema.String,
      param: Schema.NullOr(Schema.String),
      code: Schema.String
    })
  }),
  anthropic: Open({
    type: Schema.Literal("error"),
    error: Open({ type: Schema.String, message: Schema.String, code: Schema.String }),
    request_id: optional
  }),
  gemini: Open({
    error: Open({ code: Schema.Int, message: Schema.String, status: Schema.String, type: optional }),
    code: Schema.String
  }),
  task: Open({
    code: Schema.String,
    message: Schema.String,
    request_id: optional,
    error: Schema.optionalKey(RateLimit)
  })
} as const satisfies Record<Family, Schema.Constraint>
