import { type Code, codes, isCode } from "@tollgate/contract/errors/codes"
import { modelList } from "@tollgate/contract/operations/modelList"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { ToolError } from "./shapes.ts"

/** Codes of the tools' own refusals. Nothing ran. */
type ToolCode =
  | "invalid_arguments"
  | "unknown_operation"
  | "max_price_required"
  | "max_total_required"
  | "over_total"
  | "not_approved"

const advice: Partial<Record<Code, string>> = {
  invalid_request: "Correct the arguments; get_details has their schema.",
  missing_scope: "The user has to connect the platform account again, with the scope that is missing.",
  insufficient_scope: "The user did not allow this. Ask the user to grant the scope that the message names.",
  operation_not_allowed:
    "The user did not allow this operation. Use another one, or tell the user what the message says.",
  approval_required:
    "Show the user the link in the message and what the call costs. After the user's yes, send the same call again: the same arguments, max_price_usd and idempotency_key. Or send a lower max_price_usd.",
  over_cap: "Ask the user to approve a higher max_price_usd, or ask for less.",
  over_budget: "The spending limit does not pay for this. Tell the user what the message says.",
  insufficient_balance: "The account's balance does not pay for this. Tell the user to top it up.",
  model_not_found: `Use a model that is offered: the operation ${modelList.id}, which is free, lists them.`,
  idempotency_in_flight: "The first call with this key still runs. Wait, then send the same call again.",
  idempotency_completed: "The first call with this key is complete and its answer is not stored. Do not repeat it.",
  idempotency_unknown:
    "Whether the first call with this key ran is not known. Do not repeat it with a new key: it can be charged twice. Ask the user.",
  idempotency_mismatch:
    "This idempotency_key was used with other arguments. Send those again, or use a new key for a new call.",
  rate_limit_exceeded: "Wait, then send the same call again.",
  upstream_rate_limit: "Wait, then send the same call again.",
  quota_exceeded: "The quota of this period is used up. Tell the user.",
  balance_reserved: "Calls under way have reserved the money. Wait until one has ended, then send the same call again.",
  body_too_large: "Send less.",
  billing_misconfigured: "The operator has set no price for this. Use another operation or model.",
  upstream_misconfigured: "The operator has to correct the gateway. Use another operation.",
  answer_not_metered:
    "The call ran at the upstream and cost nothing here, but its answer cannot be delivered. Leave out arguments that change the format of the answer, or use another operation.",
  settlement_pending:
    "The call ran, and its answer is held back until its charge is recorded. Send the same call again with the same idempotency_key."
}

/** The operator cannot raise the spending limit of a grant. */
const grantUsedUp =
  "Tell the user: the limit that was given to this application is used up; connect it again to give it more."

const unknownWithKey =
  "It may have run and may be charged. Do not repeat it with a new key: send it again only with the same idempotency_key and arguments."
const unknownWithoutKey =
  "It may have run and may be charged, and it had no idempotency_key: a repeat can be charged twice. Do not repeat it without asking the user."

const byRepeat = {
  safe: "Send the same call again.",
  after_change: "Change the call before you send it again."
} as const

const repeatOf = (code: Code, hasKey: boolean): ToolError["repeat"] => {
  const { outcome, repeat } = codes[code]
  if (code === "idempotency_in_flight") return "same_key_only"
  if (code === "answer_not_metered") return "after_change"
  if (outcome === "not executed") return repeat ? "safe" : "after_change"
  if (code === "idempotency_completed" || !hasKey) return "never"
  return "same_key_only"
}

const adviceFor = (code: Code, repeat: ToolError["repeat"], hasKey: boolean): string =>
  advice[code] ??
  (repeat === "safe" || repeat === "after_change" ? byRepeat[repeat] : hasKey ? unknownWithKey : unknownWithoutKey)

/** A refusal of the pipeline, as a model can act on it. */
export const errorOf = ({ refusal }: Refused, hasKey: boolean, principal?: Principal): ToolError => {
  const { code, message, param, retryAfter } = refusal
  const repeat = repeatOf(code, hasKey)
  const isGrantUsedUp = code === "over_budget" && principal?.grant !== undefined
  return {
    code,
    message,
    what_to_do: isGrantUsedUp ? grantUsedUp : adviceFor(code, repeat, hasKey),
    outcome: codes[code].outcome,
    repeat,
    ...(retryAfter === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfter / 1_000) }),
    ...(param === undefined ? {} : { param })
  }
}

/** A call that a tool refuses before it reaches the pipeline. */
export const toolError = (code: ToolCode, message: string, what_to_do: string, param?: string): ToolError => ({
  code,
  message,
  what_to_do,
  outcome: "not executed",
  repeat: "after_change",
  ...(param === undefined ? {} : { param })
})

export const invalidAmount = (param: string): ToolError =>
  toolError(
    "invalid_arguments",
    `${param}: must be an amount of USD that is not negative, with up to nine decimals.`,
    `Send ${param} as a plain number such as 0.05.`,
    param
  )

export const capRequired = toolError(
  "max_price_required",
  "This call can cost money, and no max_price_usd was given.",
  "Ask the user to approve the price; then send max_price_usd with the most that the call may cost.",
  "max_price_usd"
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

/** A tool of another MCP server ran and reports that it failed. */
export const toolFailed: ToolError = {
  code: "tool_failed",
  message: "The tool reports that it failed; see content in body.",
  what_to_do: "Nothing was charged. Read the reason and correct the arguments, or tell the user.",
  outcome: "executed",
  repeat: "after_change"
}

/** A task that ended without a result. */
export const taskFailed: ToolError = {
  code: "task_failed",
  message: "The task failed; see body.",
  what_to_do: "Nothing was charged. Read the reason and change the arguments, or tell the user.",
  outcome: "executed",
  repeat: "after_change"
}

/** A task whose end nobody could learn. */
export const taskGivenUp: ToolError = {
  code: "task_unknown",
  message: "The upstream does not say how the task ended.",
  what_to_do: "It costs nothing unless its end becomes known. A new call is charged by itself: ask the user first.",
  outcome: "unknown",
  repeat: "never"
}

/** A stream that broke ends with an error event. */
export const streamBroken: ToolError = {
  code: "stream_broken",
  message: "The stream broke off; the end of body has the reason.",
  what_to_do: "What arrived is in body, and is charged as cost says. A new call is charged again: ask the user first.",
  outcome: "executed",
  repeat: "never"
}

/** Refusals because of money, for which the price is worth showing. */
export const isAboutPrice = ({ refusal: { code } }: Refused): boolean =>
  isCode(code) && codes[code].type === "budget_error"
