import type { Outcome } from "../Outcome.ts"

interface Meaning {
  readonly status: number
  readonly type: string
  readonly outcome: Outcome
  /** Whether the same request can succeed soon and cannot be paid twice. */
  readonly repeat: boolean
}

/** Statuses of states that pass. */
const passing = new Set([429, 502, 503])

const refused = (status: number, type: string): Meaning => ({
  status,
  type,
  outcome: "not executed",
  repeat: passing.has(status)
})
/** Refused until a person changes something, although the status is one that passes. */
const lasting = (status: number, type: string): Meaning => ({ ...refused(status, type), repeat: false })
const uncertain = (status: number, type: string): Meaning => ({ status, type, outcome: "unknown", repeat: false })
const executed = (status: number, type: string): Meaning => ({ ...uncertain(status, type), outcome: "executed" })

/**
 * Every code of the gateway's own errors: its status, what it proves about the call, and whether to repeat it. The first
 * three rate-limit codes come from the specification; Tollgate chose the others.
 */
export const codes = {
  invalid_request: refused(400, "invalid_request_error"),
  quote_unsupported: refused(400, "invalid_request_error"),
  previous_response_not_found: refused(400, "invalid_request_error"),
  missing_credential: refused(401, "authentication_error"),
  invalid_credential: refused(401, "authentication_error"),
  over_cap: refused(402, "budget_error"),
  over_budget: refused(402, "budget_error"),
  insufficient_balance: refused(402, "budget_error"),
  missing_scope: refused(403, "permission_error"),
  /** The access token is valid, but it may not be used here: no account belongs to it, or its access was taken back. */
  access_denied: refused(403, "permission_error"),
  /** The access token does not allow the operation. */
  insufficient_scope: refused(403, "permission_error"),
  /** Whoever gave access did not allow this operation: a person, or the operator for a service account. */
  operation_not_allowed: refused(403, "permission_error"),
  /** The key is for some models, or for callers at some addresses. */
  model_not_allowed: refused(403, "permission_error"),
  address_not_allowed: refused(403, "permission_error"),
  /** The call can cost more than the person who gave access allows without being asked. */
  approval_required: refused(403, "permission_error"),
  route_not_found: refused(404, "not_found_error"),
  model_not_found: refused(404, "not_found_error"),
  /** A response, or an item of one, is not kept here for the account. */
  response_not_found: refused(404, "not_found_error"),
  method_not_allowed: refused(405, "invalid_request_error"),
  /** The outcome of the next three is that of the first call with the key. */
  idempotency_in_flight: { ...uncertain(409, "idempotency_error"), repeat: true },
  idempotency_completed: executed(409, "idempotency_error"),
  idempotency_unknown: uncertain(409, "idempotency_error"),
  contract_mismatch: refused(409, "conflict_error"),
  body_too_large: refused(413, "invalid_request_error"),
  unsupported_media_type: refused(415, "invalid_request_error"),
  idempotency_mismatch: refused(422, "idempotency_error"),
  rate_limit_exceeded: refused(429, "rate_limit_error"),
  upstream_rate_limit: refused(429, "rate_limit_error"),
  quota_exceeded: lasting(429, "rate_limit_error"),
  /** The money is there, but reserved for calls under way. */
  balance_reserved: refused(429, "rate_limit_error"),
  unsupported_uri: refused(500, "invalid_request_error"),
  internal_error: uncertain(500, "api_error"),
  /** The upstream received nothing. 502 if it is native, 503 if it is managed. */
  upstream_unreachable: refused(502, "upstream_error"),
  /** The connection broke after the upstream may have started. 502 if it is native, 503 if it is managed. */
  upstream_failed: uncertain(502, "upstream_error"),
  upstream_timeout: uncertain(502, "upstream_error"),
  /** The upstream answered, but not with what proves the cost. Nothing is delivered and nothing charged. */
  answer_not_metered: executed(502, "upstream_error"),
  /** The upstream refused the gateway's own credential. */
  upstream_misconfigured: lasting(503, "upstream_error"),
  billing_unavailable: refused(503, "billing_error"),
  billing_misconfigured: lasting(503, "billing_error"),
  /** The answer is held back until its charge is recorded; the gateway keeps retrying that. */
  settlement_pending: executed(503, "billing_error"),
  /** The authorization server that issued the access token cannot be reached. */
  issuer_unavailable: refused(503, "authentication_error"),
  /** The limits that several gateways share cannot be counted. */
  limits_unavailable: refused(503, "api_error"),
  /** Too many large bodies are in memory. */
  overloaded: refused(503, "api_error"),
  shutting_down: refused(503, "api_error"),
  /** The time for stopping was over before the call had ended. */
  gateway_stopped: uncertain(503, "api_error"),
  verified_sales_source_unavailable: lasting(503, "source_error"),
  contract_source_unavailable: refused(503, "source_error")
} satisfies Record<string, Meaning>

export type Code = keyof typeof codes

/** Whether the code proves that nothing was charged. */
export const costsNothing = (code: Code): boolean =>
  codes[code].outcome === "not executed" || code === "answer_not_metered"

export const isCode = (code: string): code is Code => Object.hasOwn(codes, code)
