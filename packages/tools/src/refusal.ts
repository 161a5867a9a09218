import { type Code, codes, isCode } from "@tollgate/contract/errors/codes"
import { modelList } from "@tollgate/contract/operations/modelList"
import type { Bound } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import { linkStart } from "@tollgate/contract/operations/linkStart"
import { accountBalance } from "@tollgate/contract/operations/accountBalance"
import { fill, type Names } from "@tollgate/contract/Names"
import { type Refused, refuse } from "@tollgate/contract/errors/Refused"
import * as Predicate from "effect/Predicate"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import { type Resources, whereToChange } from "@tollgate/gateway/identity/grant/Resources"
import type { ToolError } from "./shapes.ts"

/** Codes of the tools' own refusals. Nothing ran. */
export type ToolCode =
  | "invalid_arguments"
  | "unknown_operation"
  | "max_price_required"
  | "max_total_required"
  | "over_total"
  | "not_approved"

/** Of these it is not known whether the call ran, or it ran: what to do depends on the idempotency key. */
type Uncertain = "internal_error" | "upstream_failed" | "upstream_timeout" | "gateway_stopped"

const askOperator = "Only the operator can change that. Tell the user what the message says."

const later = "Nothing ran. Wait, then send the same call again."

const balance = `The operation ${accountBalance.id}, which is free, says what is left.`

const checkTaskId = "Check task_id: the call that started the task returned it."

const advice: Readonly<Record<Exclude<Code, Uncertain>, string>> = {
  invalid_request: "Correct the arguments; get_details has their schema.",
  quote_unsupported: "This operation has no price to ask for. Call it with max_price_usd.",
  missing_credential: "The client has to send its key or sign in again. Tell the user.",
  invalid_credential: "The client has to send a valid key or sign in again. Tell the user.",
  access_denied: "The user has to connect this app again. Tell the user what the message says.",
  missing_scope: "The user has to link the platform account again, with the scope that is missing.",
  insufficient_scope: "The user did not allow this. Ask the user to grant the scope that the message names.",
  operation_not_allowed:
    "This operation is not allowed here. search and list_categories show only what is allowed: use one of those, or tell the user what the message says.",
  model_not_allowed: "The key is not for this model. Use one that the message names, or tell the user what it says.",
  address_not_allowed: "The key is not for this machine. Tell the user what the message says.",
  approval_required:
    "Show the user the link in the message and what the call costs. When the user has approved it, send the same call again: the same arguments, max_price_usd and idempotency_key. Or send a lower max_price_usd.",
  over_cap:
    "price has the estimate and max_usd, the most that the call can cost. Ask the user to approve that much as max_price_usd, or ask for less.",
  over_budget: `The spending limit of the key does not pay for this. ${balance} Ask for less, or tell the user what the message says.`,
  insufficient_balance: `The account's balance does not pay for this. ${balance} Tell the user to top it up.`,
  route_not_found: "Find the operation with search.",
  method_not_allowed: "Find the operation with search.",
  previous_response_not_found: "Send the items of the conversation in `input`.",
  response_not_found: "Send the items of the conversation in `input`.",
  model_not_found: `Use a model that is offered: the operation ${modelList.id}, which is free, lists them.`,
  idempotency_in_flight: "The first call with this key still runs. Wait, then send the same call again.",
  idempotency_completed: "The first call with this key is complete and its answer is not stored. Do not repeat it.",
  idempotency_unknown:
    "Whether the first call with this key ran is not known. Do not repeat it with a new key: it can be charged twice. Ask the user.",
  idempotency_mismatch:
    "This idempotency_key was used with other arguments. Send those again, or use a new key for a new call.",
  contract_mismatch: "The operation has changed. Read get_details again, then call it as that says.",
  rate_limit_exceeded: "Wait, then send the same call again.",
  upstream_rate_limit: "Wait, then send the same call again.",
  quota_exceeded: `The limit of this period is used up. The operation ${accountBalance.id}, which is free, says until when. Tell the user.`,
  balance_reserved: "Calls under way have reserved the money. Wait until one has ended, then send the same call again.",
  body_too_large: "Send less: shorter texts, or fewer items at a time.",
  unsupported_media_type: "Correct the arguments; get_details has their schema.",
  unsupported_uri: "Correct the arguments; get_details has their schema.",
  billing_misconfigured: `The operator has set no price for this. Use another operation, or a model that ${modelList.id} lists.`,
  billing_unavailable: later,
  upstream_misconfigured: `Use another operation: find one with search. ${askOperator}`,
  upstream_unreachable: later,
  answer_not_metered:
    "The call ran at the upstream and cost nothing here, but its answer cannot be delivered. Leave out arguments that change the format of the answer, or use another operation.",
  settlement_pending:
    "The call ran, and its answer is held back until its charge is recorded. Send the same call again with the same idempotency_key.",
  issuer_unavailable: later,
  limits_unavailable: later,
  overloaded: later,
  shutting_down: later,
  verified_sales_source_unavailable: `No source of sales data is configured, or it has never answered. Use another operation. ${askOperator}`,
  contract_source_unavailable: later
}

const isUncertain = (code: Code): code is Uncertain => !Object.hasOwn(advice, code)

const unknownWithKey =
  "It may have run and may be charged. Do not repeat it with a new key: send it again only with the same idempotency_key and arguments."
const unknownWithoutKey =
  "It may have run and may be charged, and it had no idempotency_key: a repeat can be charged twice. Do not repeat it without asking the user."

const repeatOf = (code: Code, hasKey: boolean): ToolError["repeat"] => {
  const { outcome, repeat } = codes[code]
  if (code === "idempotency_in_flight") return "same_key_only"
  if (code === "answer_not_metered") return "after_change"
  if (outcome === "not executed") return repeat ? "safe" : "after_change"
  if (code === "idempotency_completed" || !hasKey) return "never"
  return "same_key_only"
}

export interface RefusedCaller {
  readonly operation: Pick<Bound, "ofTask">
  readonly principal: Principal | undefined
  readonly names: Names
  readonly resources: Resources | undefined
}

/** What can be done about a task that is not there, an account that is not linked, or a limit that was given to this app. */
const adviceToUser = (code: Code, { names, operation, principal, resources }: RefusedCaller): string | undefined => {
  if (code === "route_not_found" && operation.ofTask !== undefined) return checkTaskId
  if (code === "missing_scope") {
    const id = fill(linkStart.id, names)
    return `Call the operation ${id}, which is free, and show the user the address auth_url that it returns. When the user has agreed there, send this call again.`
  }
  const isLimit = code === "over_budget" || code === "quota_exceeded"
  const grant = principal?.grant
  if (!isLimit || grant === undefined) return undefined
  const limit =
    grant.isServiceAccount === true ? "The limit of this client" : "The limit that the user gave to this app"
  return `${limit} does not pay for this. ${balance} Tell the user: ${whereToChange("It can be raised", resources, grant)}`
}

/** A refusal of the pipeline, as a model can act on it. */
export const errorOf = ({ refusal }: Refused, hasKey: boolean, caller?: RefusedCaller): ToolError => {
  const { code, message, param, retryAfter } = refusal
  const repeat = repeatOf(code, hasKey)
  const general = isUncertain(code) ? (hasKey ? unknownWithKey : unknownWithoutKey) : advice[code]
  return {
    code,
    message,
    what_to_do: (caller && adviceToUser(code, caller)) ?? general,
    outcome: codes[code].outcome,
    repeat,
    retry_after_seconds: retryAfter && Math.ceil(retryAfter / 1_000),
    param
  }
}

const sources: ReadonlySet<unknown> = new Set<Code>([
  "verified_sales_source_unavailable",
  "contract_source_unavailable"
])

/** The error of an operation that the gateway answers itself, and that has no source to answer from. */
export const sourceError = (body: unknown): ToolError | undefined => {
  const code = Predicate.hasProperty(body, "reason_code") ? body.reason_code : undefined
  return typeof code === "string" && isCode(code) && sources.has(code)
    ? errorOf(refuse(code, "No source is configured for this operation, or it has no data."), false)
    : undefined
}

/** A call that a tool refuses before it reaches the pipeline. */
export const toolError = (code: ToolCode, message: string, what_to_do: string, param?: string): ToolError => ({
  code,
  message,
  what_to_do,
  outcome: "not executed",
  repeat: "after_change",
  param
})

export const invalidAmount = (param: string): ToolError =>
  toolError(
    "invalid_arguments",
    `${param}: must be an amount of USD as a JSON number, not in quotes and not negative, with up to nine decimals and 15 digits.`,
    `Send ${param} as a plain number such as 0.05.`,
    param
  )

export const capRequired = toolError(
  "max_price_required",
  "This call can cost money, and no max_price_usd was given.",
  "price has the estimate and max_usd, the most that the call can cost. Ask the user to approve that; then send the same call with it, as a number, in max_price_usd.",
  "max_price_usd"
)

export const totalRequired = toolError(
  "max_total_required",
  "These calls can cost money, and no max_total_usd was given.",
  "Ask the user to approve the total; then send max_total_usd with the most that all calls together may cost.",
  "max_total_usd"
)

export const overTotal = toolError(
  "over_total",
  "What is left of max_total_usd does not cover this call's max_price_usd.",
  "The call was not made. Ask the user to approve a higher total, or make the call later, by itself.",
  "max_total_usd"
)

/** The upstream answered with an error status, which costs nothing unless it is not known whether it created something. */
export const statusError = (status: number, { state }: Charge, hasKey: boolean): ToolError => {
  const error = { code: "upstream_status", message: `The upstream answered with status ${status}; see body.` }
  if (state === "unknown") {
    const what_to_do = hasKey ? unknownWithKey : unknownWithoutKey
    return { ...error, what_to_do, outcome: "unknown", repeat: hasKey ? "same_key_only" : "never" }
  }
  const isPassing = status >= 500 || status === 429 || status === 408
  return {
    ...error,
    what_to_do: isPassing ? "Nothing was charged. Try again later." : "Nothing was charged. Correct the arguments.",
    outcome: "executed",
    repeat: isPassing ? "safe" : "after_change"
  }
}

export const toolFailed: ToolError = {
  code: "tool_failed",
  message: "The tool reports that it failed; see content in body.",
  what_to_do: "Nothing was charged. Read the reason and correct the arguments, or tell the user.",
  outcome: "executed",
  repeat: "after_change"
}

export const taskFailed: ToolError = {
  code: "task_failed",
  message: "The task failed; see body.",
  what_to_do: "Nothing was charged. Read the reason and change the arguments, or tell the user.",
  outcome: "executed",
  repeat: "after_change"
}

/** A poll cannot tell a task that does not exist from one that its upstream does not know for a while. */
export const taskNotKnown: ToolError = {
  code: "task_unknown",
  message: "Your account has no task with this id, or its upstream does not know it at the moment.",
  what_to_do: `${checkTaskId} If it is right, ask once more in some minutes. Do not start the task again without asking the user.`,
  outcome: "not executed",
  repeat: "after_change"
}

export const taskGivenUp: ToolError = {
  code: "task_unknown",
  message: "The upstream does not say how the task ended.",
  what_to_do: "It costs nothing unless its end becomes known. A new call is charged by itself: ask the user first.",
  outcome: "unknown",
  repeat: "never"
}

export const streamBroken: ToolError = {
  code: "stream_broken",
  message: "The stream broke off; the end of body has the reason.",
  what_to_do: "What arrived is in body, and is charged as cost says. A new call is charged again: ask the user first.",
  outcome: "executed",
  repeat: "never"
}

/** A stream that is longer than any answer. */
export const streamAbandoned: ToolError = {
  code: "stream_too_long",
  message: "The stream did not end, and was left.",
  what_to_do: "What arrived first is in body, and what arrived is charged. Do not repeat the call: tell the user.",
  outcome: "executed",
  repeat: "never"
}

/** Refusals because of money, for which the price is worth showing. */
export const isAboutPrice = ({ refusal: { code } }: Refused): boolean =>
  isCode(code) && codes[code].type === "budget_error"
