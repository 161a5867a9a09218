import type { Outcome } from "../Outcome.ts"

interface Meaning {
  readonly status: number
  readonly type: string
  readonly outcome: Outcome
}

const refused = (status: number, type: string): Meaning => ({ status, type, outcome: "not executed" })
const uncertain = (status: number, type: string): Meaning => ({ status, type, outcome: "unknown" })

/**
 * Every code of the gateway's own errors, with its status and what it proves about the call. The three rate-limit codes
 * come from the specification; Tollgate chose the others.
 */
export const codes = {
  invalid_request: refused(400, "invalid_request_error"),
  quote_unsupported: refused(400, "invalid_request_error"),
  missing_credential: refused(401, "authentication_error"),
  invalid_credential: refused(401, "authentication_error"),
  over_cap: refused(402, "budget_error"),
  over_budget: refused(402, "budget_error"),
  insufficient_balance: refused(402, "budget_error"),
  missing_scope: refused(403, "permission_error"),
  route_not_found: refused(404, "not_found_error"),
  model_not_found: refused(404, "not_found_error"),
  method_not_allowed: refused(405, "invalid_request_error"),
  /** The outcome of the next three is that of the first call with the key. */
  idempotency_in_flight: uncertain(409, "idempotency_error"),
  idempotency_completed: { status: 409, type: "idempotency_error", outcome: "executed" },
  idempotency_unknown: uncertain(409, "idempotency_error"),
  contract_mismatch: refused(409, "conflict_error"),
  body_too_large: refused(413, "invalid_request_error"),
  unsupported_media_type: refused(415, "invalid_request_error"),
  idempotency_mismatch: refused(422, "idempotency_error"),
  rate_limit_exceeded: refused(429, "rate_limit_error"),
  upstream_rate_limit: refused(429, "rate_limit_error"),
  quota_exceeded: refused(429, "rate_limit_error"),
  unsupported_uri: refused(500, "invalid_request_error"),
  internal_error: uncertain(500, "api_error"),
  /** The upstream received nothing. 502 if it is native, 503 if it is managed. */
  upstream_unreachable: refused(502, "upstream_error"),
  /** The connection broke after the upstream may have started. 502 if it is native, 503 if it is managed. */
  upstream_failed: uncertain(502, "upstream_error"),
  upstream_timeout: uncertain(502, "upstream_error"),
  /** The upstream refused the gateway's own credential. */
  upstream_misconfigured: refused(503, "upstream_error"),
  billing_unavailable: refused(503, "billing_error"),
  billing_misconfigured: refused(503, "billing_error"),
  /** The answer is held back until its charge is recorded; the gateway keeps retrying that. */
  settlement_pending: { status: 503, type: "billing_error", outcome: "executed" },
  /** Too many large bodies are in memory. */
  overloaded: refused(503, "api_error"),
  shutting_down: refused(503, "api_error"),
  verified_sales_source_unavailable: refused(503, "source_error"),
  contract_source_unavailable: refused(503, "source_error")
} as const satisfies Record<string, Meaning>

export type Code = keyof typeof codes

export const isCode = (code: string): code is Code => Object.hasOwn(codes, code)
