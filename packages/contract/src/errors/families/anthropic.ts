import * as Schema from "effect/Schema"
import * as Headers from "../../Headers.ts"
import { Open } from "../../Open.ts"
import { type ErrorFamily, optionalText, requestIdOf } from "../ErrorFamily.ts"

const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error"
}

/** `{ type: "error", error: { type, message, code }, request_id }` */
export const anthropic: ErrorFamily = {
  shape: Open({
    type: Schema.Literal("error"),
    error: Open({ type: Schema.String, message: Schema.String, code: Schema.String }),
    request_id: optionalText
  }),
  body: (refusal, status) => {
    const { code, message } = refusal
    const type = types[status] ?? (status < 500 ? "invalid_request_error" : "api_error")
    return { type: "error", error: { type, message, code }, ...requestIdOf(refusal) }
  },
  errorEvent: "error",
  paths: /^(?:\/v1)*\/(?:messages|complete)(?:\/|$)/,
  keyHeader: "x-api-key",
  versionHeader: "anthropic-version",
  requestIdHeader: Headers.anthropicRequestId
}
