import * as Schema from "effect/Schema"
import { Open } from "../../Open.ts"
import { type ErrorFamily, optionalText, rateLimitOf } from "../ErrorFamily.ts"

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  422: "FAILED_PRECONDITION",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE"
}

/** `{ error: { code: number, message, status }, code }` */
export const gemini: ErrorFamily = {
  shape: Open({
    error: Open({ code: Schema.Int, message: Schema.String, status: Schema.String, type: optionalText }),
    code: Schema.String
  }),
  body: (refusal, status) => {
    const { code, message } = refusal
    const limit = rateLimitOf(refusal)
    const type = limit === undefined ? {} : { type: limit["type"] }
    return { error: { code: status, message, status: statuses[status] ?? "UNKNOWN", ...type }, code }
  },
  streamsArray: true,
  streamsByPath: true,
  paths: /^(?:\/\w+)?\/v1(?:alpha|beta)\d?(?:\/|$)|^\/v\w+\/models\/[^/]+:/,
  keyHeader: "x-goog-api-key",
  keyParameter: "key",
  modelsPath: "/v1beta/models",
  genAiOperation: "generate_content"
}
