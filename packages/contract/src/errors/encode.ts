import * as Headers from "../Headers.ts"
import * as RetryAfter from "../RetryAfter.ts"
import { codes } from "./codes.ts"
import type { ErrorBody } from "./ErrorFamily.ts"
import { errorFamilies } from "./families.ts"
import type { Family } from "./Family.ts"
import { type Refusal, statusOf } from "./Refused.ts"

export interface WireError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ErrorBody
}

/** Whether the same request, sent again within a minute, can succeed and cannot be paid twice. */
export const isWorthRepeating = ({ code, retryAfter = 0 }: Refusal): boolean =>
  codes[code].repeat && retryAfter <= RetryAfter.longestMillis

/** What tells SDKs when to repeat the request, and those that know `x-should-retry` whether to. */
const retryHeaders = (refusal: Refusal): Record<string, string> => {
  const headers: Record<string, string> = {}
  const { retryAfter } = refusal
  if (retryAfter !== undefined) {
    headers["Retry-After"] = RetryAfter.format(retryAfter)
    if (retryAfter > RetryAfter.longestMillis) headers[Headers.longRetryAfter] = headers["Retry-After"]
  }
  if (!isWorthRepeating(refusal)) headers[Headers.shouldRetry] = "false"
  return headers
}

const withWait = (refusal: Refusal): Refusal =>
  refusal.retryAfter === undefined || refusal.retryAfter <= RetryAfter.longestMillis
    ? refusal
    : { ...refusal, message: `${refusal.message} Try again in ${RetryAfter.words(refusal.retryAfter)}.` }

/** The amounts of a 402 under the names that a quote has, beside the message. */
const withCost = (body: ErrorBody, { cost }: Refusal): ErrorBody => {
  if (cost === undefined) return body
  const amounts = { estimate_micros_usd: cost.estimate, max_micros_usd: cost.most }
  const { error } = body
  return typeof error === "object" && error !== null
    ? { ...body, error: { ...error, ...amounts } }
    : { ...body, ...amounts }
}

export const encode = (family: Family, refusal: Refusal): WireError => {
  const status = statusOf(refusal)
  return {
    status,
    headers: {
      ...(refusal.requestId === undefined ? {} : { "X-Request-ID": refusal.requestId }),
      ...retryHeaders(refusal)
    },
    body: withCost(errorFamilies[family].body(withWait(refusal), status), refusal)
  }
}

/** The error that ends a broken stream. It holds the request id, since no header is left to carry it. */
export const encodeLast = (family: Family, refusal: Refusal): ErrorBody => {
  const { body, lastBody } = errorFamilies[family]
  const said = withWait(refusal)
  return lastBody?.(said) ?? { ...body(said, statusOf(said)), request_id: refusal.requestId }
}
