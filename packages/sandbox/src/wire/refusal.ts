/** An error before it is written in a protocol's format. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly code?: string | undefined
  readonly param?: string | undefined
  readonly requestId?: string | undefined
}

export type ErrorFormat = (refusal: Refusal) => Readonly<Record<string, unknown>>

export const plain: ErrorFormat = ({ code, message, param }) => ({
  error: { message, type: "sandbox_error", param: param ?? null, code: code ?? null }
})

/** The flat format of the task endpoints. */
export const task: ErrorFormat = ({ code, message, requestId, status }) => ({
  code: code ?? (status < 500 ? "InvalidParameter" : "InternalError"),
  message,
  ...(requestId === undefined ? {} : { request_id: requestId })
})

export const openai: ErrorFormat = ({ code, message, param, status }) => ({
  error: {
    message,
    type: status === 429 ? "rate_limit_error" : status < 500 ? "invalid_request_error" : "server_error",
    param: param ?? null,
    code: code ?? null
  }
})

const anthropicTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error"
}

export const anthropic: ErrorFormat = ({ message, requestId, status }) => ({
  type: "error",
  error: { type: anthropicTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), message },
  ...(requestId === undefined ? {} : { request_id: requestId })
})

const googleStatuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED"
}

export const gemini: ErrorFormat = ({ message, status }) => ({
  error: { code: status, message, status: googleStatuses[status] ?? "UNKNOWN" }
})
