import type { DeclaredStatus } from "../errors/ApiError.ts"
import type { Code } from "../errors/codes.ts"

/** When each declared status is returned. */
export const statusWords: Readonly<Record<DeclaredStatus, string>> = {
  400: "The request is not valid.",
  401: "The credential is missing or unknown.",
  402: "The call can cost more than the cap, the key's budget or the balance. Nothing was spent.",
  403: "The credential, or the linked account, may not do this.",
  404: "There is no such path or model, or the upstream does not have what was asked for.",
  409: "The idempotency key was used before, or the contract has another hash.",
  422: "The idempotency key belongs to another request, or the upstream could not carry the request out.",
  429: "A limit was reached. The code says whose.",
  500: "The gateway failed.",
  502: "The upstream could not be reached, broke off, or sent an answer that cannot be billed.",
  503: "An upstream, billing or a source is unavailable."
}

/** What each code of the gateway's own errors means for the caller. */
export const codeWords: Readonly<Record<Code, string>> = {
  invalid_request: "A field, a parameter or a header is missing or wrong. The message names it.",
  quote_unsupported: "The operation is free, so it has no quote.",
  missing_credential: "The request has no credential.",
  invalid_credential: "The key or token is unknown, revoked or expired.",
  over_cap: "The call can cost more than its cap.",
  over_budget: "The call can cost more than the key's budget has left.",
  insufficient_balance: "The call can cost more than the account's balance.",
  missing_scope: "No platform account is linked to the key, or it did not allow this.",
  access_denied: "The access token may not be used here, or its grant was revoked.",
  insufficient_scope: "The access token does not allow this operation.",
  operation_not_allowed: "Whoever gave access, or made the key, did not allow this operation.",
  model_not_allowed: "The key is not for this model.",
  address_not_allowed: "The key is not for callers at this address.",
  approval_required: "The call can cost more than the person who gave access allows without approval.",
  route_not_found: "There is no operation at this path.",
  previous_response_not_found:
    "The gateway does not keep the response that `previous_response_id` names, or not any more.",
  response_not_found: "The gateway does not keep this response or item, or not any more.",
  model_not_found: "No upstream serves this model for this operation.",
  method_not_allowed: "The path has an operation, but with another method.",
  idempotency_in_flight: "The first call with this key is still running.",
  idempotency_completed: "The first call with this key has ended. Ask for its stored answer instead.",
  idempotency_unknown: "It is not known whether the first call with this key ran.",
  contract_mismatch: "The contract has another hash. Read the new one.",
  body_too_large: "The body is larger than the operation allows.",
  unsupported_media_type: "The body is not sent as application/json.",
  idempotency_mismatch: "The key was used for another request.",
  rate_limit_exceeded: "A limit of this gateway: requests, tokens, calls at once, or tasks. Wait for Retry-After.",
  upstream_rate_limit: "The upstream's own limit. Wait for Retry-After.",
  quota_exceeded: "The key's budget for this day or month is used up.",
  balance_reserved: "The money is reserved for calls under way. Nothing ran; wait for Retry-After.",
  unsupported_uri: "The task's id belongs into the path.",
  internal_error: "The gateway failed. Tell its operator the request id.",
  upstream_unreachable: "No connection could be made, so nothing ran.",
  upstream_failed: "The connection broke after the call was sent. It may have run.",
  upstream_timeout: "The upstream did not answer in time. It may have run.",
  answer_not_metered:
    "The upstream's answer does not prove what the call cost, so it is not delivered and not charged. The call ran.",
  upstream_misconfigured: "The upstream refused the gateway itself. Only the operator can fix that.",
  billing_unavailable: "The ledger could not be written, so nothing was sent.",
  billing_misconfigured: "The operation has no price yet. Only the operator can fix that.",
  settlement_pending: "The call ran, and its charge is not recorded yet. The answer is held back until it is.",
  issuer_unavailable: "The server that issued the access token cannot be reached.",
  limits_unavailable: "The limits that several gateways share cannot be counted. Nothing ran.",
  overloaded: "Too many large bodies are in memory.",
  shutting_down: "The gateway is stopping. Nothing ran.",
  gateway_stopped: "The gateway stopped before the call had ended. It may have run.",
  verified_sales_source_unavailable: "There is no verified snapshot of sales data.",
  contract_source_unavailable: "The contract cannot be read at the moment."
}
