import * as Schema from "effect/Schema"
import { Open } from "../../Open.ts"
import { type ErrorFamily, optionalText, RateLimit, rateLimitOf, requestIdOf } from "../ErrorFamily.ts"

/** `{ code, message, request_id }` */
export const task: ErrorFamily = {
  shape: Open({
    code: Schema.String,
    message: Schema.String,
    request_id: optionalText,
    error: Schema.optionalKey(RateLimit)
  }),
  body: (refusal) => {
    const { code, message } = refusal
    const limit = rateLimitOf(refusal)
    return { code, message, ...requestIdOf(refusal), ...(limit === undefined ? {} : { error: limit }) }
  },
  paths: /^\/apis\/v1\/services\/aigc(?:\/|$)/
}
