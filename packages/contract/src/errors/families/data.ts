import * as Schema from "effect/Schema"
import { Open } from "../../Open.ts"
import { codes } from "../codes.ts"
import { type ErrorFamily, optionalText, requestIdOf } from "../ErrorFamily.ts"

/** `{ error: { code, message, type, request_id } }`, the gateway's own. */
export const data: ErrorFamily = {
  shape: Open({
    error: Open({ code: Schema.String, message: Schema.String, type: optionalText, request_id: optionalText })
  }),
  body: (refusal) => {
    const { code, message } = refusal
    return { error: { code, message, type: codes[code].type, ...requestIdOf(refusal) } }
  }
}
