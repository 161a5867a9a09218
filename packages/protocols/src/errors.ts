import type { Shape } from "./Conversation.ts"
import { type Json, objectOr, textOr } from "./json.ts"

/** What an upstream says of a call that it refused. */
export interface UpstreamError {
  readonly message: string
  /** The provider's own word for it. */
  readonly code?: string | undefined
}

/** Reads the error of any of the protocols. */
export const readError = (body: unknown): UpstreamError => {
  // Gemini wraps the error of a stream in a list.
  const top = objectOr(Array.isArray(body) ? body[0] : body)
  const error = objectOr(top["error"])
  const message = textOr(error["message"]) || textOr(top["error"]) || textOr(top["message"])
  const code = textOr(error["code"]) || textOr(error["type"]) || textOr(error["status"])
  return { message: message || "The upstream refused the request.", code: code || undefined }
}

const openaiTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error"
}

const anthropicTypes: Readonly<Record<number, string>> = {
  ...openaiTypes,
  402: "billing_error",
  413: "request_too_large",
  504: "timeout_error",
  529: "overloaded_error"
}

const googleStatuses: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED"
}

export const writeError = (shape: Shape, status: number, { code, message }: UpstreamError): Json => {
  const isCallers = status < 500
  if (shape === "generateContent") {
    const word = googleStatuses[status] ?? (isCallers ? "INVALID_ARGUMENT" : "INTERNAL")
    return { error: { code: status, message, status: word } }
  }
  if (shape === "messages") {
    const type = anthropicTypes[status] ?? (isCallers ? "invalid_request_error" : "api_error")
    return { type: "error", error: { type, message } }
  }
  const type = openaiTypes[status] ?? (isCallers ? "invalid_request_error" : "server_error")
  return { error: { message, type, param: null, code: code ?? null } }
}
