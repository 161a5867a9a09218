import { type Code, isCode } from "./codes.ts"

/** Who can change what made a call fail. */
export type Fault = "request" | "account" | "operator" | "upstream" | "gateway"

/** Whose fault a failure is, and what its caller does next. */
export interface Explanation {
  readonly fault: Fault
  readonly next: string
}

export const faultWords: Readonly<Record<Fault, string>> = {
  request: "Your request",
  account: "Your account or key",
  operator: "The operator of this gateway",
  upstream: "The upstream",
  gateway: "This gateway"
}

type Row = readonly [fault: Fault, next: string]

const correct = "Correct what the message names, then send it again."
const later = "Nothing ran. Wait a moment, then send it again."
const askOperator = "Tell the operator the request id."
const mayHaveRun =
  "It may have run. If the call had an idempotency key, send it again with the same key. Otherwise check before you repeat it."
const signIn = "Use a valid key, or sign in again."

const byCode: Readonly<Record<Code | "caller_left" | "task_failed", Row>> = {
  invalid_request: ["request", correct],
  quote_unsupported: ["request", "Call it without asking for a quote: it is free."],
  missing_credential: ["account", signIn],
  invalid_credential: ["account", signIn],
  over_cap: ["request", "Raise the cap, or ask for less."],
  over_budget: ["account", "Ask for less, or use a key with a larger budget."],
  insufficient_balance: ["account", "Top up the balance, or ask for less."],
  missing_scope: ["account", "Link the platform account again, with the scope that is missing."],
  access_denied: ["account", "Give the app access again."],
  insufficient_scope: ["account", "Give the app the scope that the message names."],
  operation_not_allowed: ["account", "Allow the operation on the page of apps or of keys, or use another one."],
  model_not_allowed: ["account", "Use a model that the key is for, or allow this one on the page of keys."],
  address_not_allowed: ["account", "Call from an address that the key is for, or allow this one on the page of keys."],
  approval_required: ["account", "Approve it on the page of grants, then send the same call again. Or lower its cap."],
  route_not_found: ["request", "Check the path."],
  previous_response_not_found: ["request", "Send the items of the conversation in `input`."],
  response_not_found: ["request", "Send the items of the conversation in `input`."],
  model_not_found: ["request", "Use a model that the gateway offers."],
  method_not_allowed: ["request", "Use the method that the operation has."],
  idempotency_in_flight: ["request", "The first call with this key still runs. Wait, then send the same call again."],
  idempotency_completed: ["request", "The first call with this key has ended. Use a new key for a new call."],
  idempotency_unknown: ["request", "Check whether the first call with this key ran. A new key can be charged again."],
  contract_mismatch: ["request", "Read the contract again, then send its new hash."],
  body_too_large: ["request", "Send less: shorter texts, or fewer items at a time."],
  unsupported_media_type: ["request", "Send the body as application/json."],
  idempotency_mismatch: ["request", "Use a new idempotency key for a new request."],
  rate_limit_exceeded: [
    "account",
    "Wait as long as Retry-After says, then send it again. The page of limits shows yours."
  ],
  upstream_rate_limit: ["upstream", "Wait as long as Retry-After says, then send it again."],
  quota_exceeded: ["account", "Wait for the next period, or use a key with a larger budget."],
  balance_reserved: ["account", "Wait until a call under way has ended, or top up the balance."],
  unsupported_uri: ["request", "Put the task's id into the path."],
  internal_error: ["gateway", `${mayHaveRun} ${askOperator}`],
  upstream_unreachable: ["upstream", later],
  upstream_failed: ["upstream", mayHaveRun],
  upstream_timeout: ["upstream", mayHaveRun],
  answer_not_metered: [
    "upstream",
    `You were not charged. Ask for no other format than the operation has. If you did not, ${askOperator.toLowerCase()}`
  ],
  upstream_misconfigured: ["operator", `${askOperator} Only the operator can mend it.`],
  billing_unavailable: ["gateway", later],
  billing_misconfigured: ["operator", `${askOperator} Only the operator can set the price.`],
  settlement_pending: ["gateway", "It ran. Send it again with the same idempotency key to get the answer."],
  issuer_unavailable: ["operator", later],
  limits_unavailable: ["gateway", later],
  overloaded: ["gateway", later],
  shutting_down: ["gateway", later],
  gateway_stopped: ["gateway", mayHaveRun],
  verified_sales_source_unavailable: ["operator", askOperator],
  contract_source_unavailable: ["operator", later],
  caller_left: ["request", "Nothing ran. Send it again, and wait longer for the answer."],
  task_failed: ["upstream", "You were not charged. Start a new task, or change what you ask for."]
}

const byStatus = (status: number): Row => {
  if (status === 429) return ["upstream", "Wait, then send it again."]
  if (status === 401 || status === 403) return ["operator", `${askOperator} The upstream did not let the gateway in.`]
  if (status >= 500) return ["upstream", "Send it again later. If it goes on, tell the operator the request id."]
  return status >= 400
    ? ["request", `The upstream refused the request. ${correct}`]
    : ["upstream", "The answer says that it failed. Correct what the message names, or send it again later."]
}

export interface Failed {
  /** The gateway's, or that of an upstream. */
  readonly code?: string | null | undefined
  /** `undefined` or `null`: there was no answer. */
  readonly status?: number | null | undefined
}

/** Explains a failure by its code, or by its status if the code is an upstream's. */
export const explain = ({ code, status }: Failed): Explanation => {
  const isKnown = code === "caller_left" || code === "task_failed" || (typeof code === "string" && isCode(code))
  const [fault, next] = isKnown
    ? byCode[code as keyof typeof byCode]
    : status === undefined || status === null
      ? (["gateway", mayHaveRun] as const)
      : byStatus(status)
  return { fault, next }
}
