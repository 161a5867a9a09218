import { read } from "@tollgate/contract/price/exact"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"

/** An error that a stream begins with, as the answer that it should have been. */
export interface StreamError {
  readonly status: number
  /** JSON, in the shape of the protocol's errors. */
  readonly body: Uint8Array
}

/** Providers' names for what went wrong, in lower case. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_argument: 400,
  invalid_prompt: 400,
  failed_precondition: 400,
  context_length_exceeded: 400,
  content_policy_violation: 400,
  authentication_error: 401,
  unauthenticated: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  permission_denied: 403,
  not_found_error: 404,
  not_found: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  too_many_requests: 429,
  insufficient_quota: 429,
  resource_exhausted: 429,
  api_error: 500,
  server_error: 500,
  internal_error: 500,
  internal_server_error: 500,
  internal: 500,
  service_unavailable: 503,
  service_unavailable_error: 503,
  unavailable: 503,
  timeout_error: 504,
  deadline_exceeded: 504,
  overloaded_error: 529,
  overloaded: 529
}

const statusNamed = (value: unknown): number | undefined => {
  if (typeof value !== "string" && typeof value !== "number") return undefined
  const name = String(value).toLowerCase()
  if (/^[45]\d\d$/.test(name)) return Number(name)
  return Object.hasOwn(statuses, name) ? statuses[name] : undefined
}

const statusOf = (error: unknown): number => {
  for (const field of ["status_code", "code", "status", "type"]) {
    const status = statusNamed(read(error, [field]))
    if (status !== undefined) return status
  }
  return 502
}

const isFilled = (error: unknown): boolean => Predicate.isObject(error) || (typeof error === "string" && error !== "")

const shaped = (error: unknown) => {
  const code = read(error, ["code"]) ?? null
  const message = read(error, ["message"]) ?? "The upstream failed."
  return { error: { message, type: read(error, ["type"]) ?? "upstream_error", param: null, code } }
}

const asError = (error: unknown, body: unknown): StreamError => ({
  status: statusOf(error),
  body: Utf8.encode(JSON.stringify(body))
})

/** The error in an event; `undefined` if it is none. `isNamed`: the event is named so. */
export const errorIn = (event: unknown, isNamed: boolean): StreamError | undefined => {
  const error = read(event, ["error"])
  if (isFilled(error)) return asError(error, event)
  const type = read(event, ["type"])
  if (type === "response.failed") {
    const failed = read(event, ["response", "error"])
    return asError(failed, shaped(failed))
  }
  if (type !== "error" && !isNamed) return undefined
  // The event itself is the error: `type` says no more than that.
  const own = Predicate.isObject(event) ? { ...event, type: undefined } : { message: event }
  return asError(own, shaped(own))
}
