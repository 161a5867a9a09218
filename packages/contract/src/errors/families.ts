import { type ErrorFamily, RateLimit, rateLimitOf, optionalText, requestIdOf } from "./ErrorFamily.ts"
import type { Family } from "./Family.ts"
import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import { codes } from "./codes.ts"
import type { Refusal } from "./Refused.ts"
import * as Headers from "../Headers.ts"

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
const anthropic: ErrorFamily = {
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
const gemini: ErrorFamily = {
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

const errorOf = ({ code, message, param }: Refusal) => ({
  message,
  type: codes[code].type,
  param: param ?? null,
  code
})

/** `{ error: { message, type, param, code } }` */
const openai: ErrorFamily = {
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

/** `{ code, message, request_id }` */
const task: ErrorFamily = {
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

/** `{ error: { code, message, type, request_id } }`, the gateway's own. */
const data: ErrorFamily = {
  shape: Open({
    error: Open({ code: Schema.String, message: Schema.String, type: optionalText, request_id: optionalText })
  }),
  body: (refusal) => {
    const { code, message } = refusal
    return { error: { code, message, type: codes[code].type, ...requestIdOf(refusal) } }
  }
}

/** `{ error: string }` */
const usage: ErrorFamily = {
  shape: Open({ error: Schema.Union([Schema.String, RateLimit]) }),
  body: (refusal) => ({ error: rateLimitOf(refusal) ?? refusal.message })
}

/** Every error family, by its name. The first whose `paths` match counts: the widest stands last. */
export const errorFamilies: Readonly<Record<Family, ErrorFamily>> = { usage, data, anthropic, gemini, task, openai }

export const familyOf = ({ family }: { readonly family: Family }): ErrorFamily => errorFamilies[family]

const names = Object.keys(errorFamilies) as ReadonlyArray<Family>

/** The family of a path without an operation. */
export const familyOfPath = (path: string): Family =>
  names.find((name) => errorFamilies[name].paths?.test(path)) ?? "data"

/** The families whose SDKs name themselves, by the header with their version. */
export const namedFamilies: ReadonlyArray<Family> = names.filter(
  (name) => errorFamilies[name].versionHeader !== undefined
)

/** The family whose SDK calls, if that names itself. */
export const familyNamedIn = (headers: Readonly<Record<string, string | undefined>>): Family | undefined =>
  namedFamilies.find((name) => headers[errorFamilies[name].versionHeader ?? ""] !== undefined)
