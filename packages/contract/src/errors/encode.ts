import * as Headers from "../Headers.ts"
import * as RetryAfter from "../RetryAfter.ts"
import { type Code, codes } from "./codes.ts"
import type { Family } from "./Family.ts"

/** An error of the gateway itself, before it is encoded for a family. */
export interface Refusal {
  readonly code: Code
  readonly message: string
  /** Overrides the status of the code: 503 for a managed upstream. */
  readonly status?: number
  /** Milliseconds. */
  readonly retryAfter?: number
  /** The invalid field, for the families that name one. */
  readonly param?: string
  readonly requestId?: string
}

export interface WireError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

const googleStatus: Readonly<Record<number, string>> = {
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

const anthropicType: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error"
}

const bodyOf = (family: Family, refusal: Refusal, status: number): unknown => {
  const { code, message, requestId } = refusal
  const type = codes[code].type
  const request_id = requestId === undefined ? {} : { request_id: requestId }
  // A rate limit has `error.type` and a string code in every family, even if its other errors are flat.
  const limited = type === "rate_limit_error"
  switch (family) {
    case "usage":
      return { error: limited ? { code, message, type } : message }
    case "data":
      return { error: { code, message, type, ...request_id } }
    case "openai":
      return { error: { message, type, param: refusal.param ?? null, code } }
    case "anthropic":
      return {
        type: "error",
        error: { type: anthropicType[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), message, code },
        ...request_id
      }
    case "gemini":
      return {
        error: { code: status, message, status: googleStatus[status] ?? "UNKNOWN", ...(limited ? { type } : {}) },
        code
      }
    case "task":
      return { code, message, ...request_id, ...(limited ? { error: { code, message, type } } : {}) }
  }
}

export const statusOf = ({ code, status = codes[code].status }: Refusal): number => status

/** Whether the same request, sent again within a minute, can succeed and cannot be paid twice. */
const isWorthRepeating = ({ code, retryAfter = 0 }: Refusal): boolean =>
  codes[code].repeat && retryAfter <= RetryAfter.longestMillis

/** What tells SDKs when to repeat the request, and those that know `x-should-retry` whether to. */
const retryHeaders = (refusal: Refusal): Record<string, string> => {
  const headers: Record<string, string> = {}
  const { retryAfter } = refusal
  if (retryAfter !== undefined) {
    const name = retryAfter <= RetryAfter.longestMillis ? "Retry-After" : Headers.longRetryAfter
    headers[name] = RetryAfter.format(retryAfter)
  }
  if (!isWorthRepeating(refusal)) headers[Headers.shouldRetry] = "false"
  return headers
}

const withWait = (refusal: Refusal): Refusal =>
  refusal.retryAfter === undefined || refusal.retryAfter <= RetryAfter.longestMillis
    ? refusal
    : { ...refusal, message: `${refusal.message} Try again in ${RetryAfter.words(refusal.retryAfter)}.` }

export const encode = (family: Family, refusal: Refusal): WireError => {
  const status = statusOf(refusal)
  return {
    status,
    headers: {
      ...(refusal.requestId === undefined ? {} : { "X-Request-ID": refusal.requestId }),
      ...retryHeaders(refusal)
    },
    body: bodyOf(family, withWait(refusal), status)
  }
}
