import * as Schema from "effect/Schema"
import { Open } from "../../Open.ts"
import { codes } from "../codes.ts"
import type { ErrorFamily } from "../ErrorFamily.ts"
import type { Refusal } from "../Refused.ts"

const errorOf = ({ code, message, param }: Refusal) => ({
  message,
  type: codes[code].type,
  param: param ?? null,
  code
})

/** `{ error: { message, type, param, code } }` */
export const openai: ErrorFamily = {
  shape: Open({
    error: Open({
      message: Schema.String,
      type: Schema.String,
      param: Schema.NullOr(Schema.String),
      code: Schema.String
    })
  }),
  body: (refusal) => ({ error: errorOf(refusal) }),
  lastBody: (refusal) => ({ error: { ...errorOf(refusal), request_id: refusal.requestId } }),
  lastItem: "[DONE]",
  paths: /^\/v\d\/|^\/(?:chat|completions|responses|embeddings|models|images|audio|files|rerank)(?:\/|$)/
}
