import { writeError } from "@tollgate/protocols/errors"

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

export const anthropic: ErrorFormat = ({ message, requestId, status }) => ({
  ...writeError("messages", status, { message }),
  ...(requestId === undefined ? {} : { request_id: requestId })
})

export const gemini: ErrorFormat = ({ message, status }) => writeError("generateContent", status, { message })
