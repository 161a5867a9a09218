import * as Schema from "effect/Schema"
import { Open } from "../../Open.ts"
import { type ErrorFamily, RateLimit, rateLimitOf } from "../ErrorFamily.ts"

/** `{ error: string }` */
export const usage: ErrorFamily = {
  shape: Open({ error: Schema.Union([Schema.String, RateLimit]) }),
  body: (refusal) => ({ error: rateLimitOf(refusal) ?? refusal.message })
}
