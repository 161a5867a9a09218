import type { CallStory, LoggedCall, LoggedState } from "./account/LoggedCall.ts"
import type { OperatorCallStory } from "./admin/Margin.ts"

/** What people read for each field of a call in a list. */
export const listWords = {
  id: "Request id",
  created_at: "Began",
  ended_at: "Ended",
  operation: "Operation",
  model: "Model",
  key: "Key",
  key_label: "Key label",
  upstream: "Upstream",
  state: "State",
  failed: "Failed",
  status: "Status",
  cost_state: "Cost",
  input_tokens: "In",
  output_tokens: "Out",
  value_micros_usd: "List price",
  charged_micros_usd: "Charged",
  charged_nano_usd: "Charged, before rounding",
  refunded_micros_usd: "Refunded",
  kept: "Cached answer",
  tags: "Tags",
  error: "Error"
} as const satisfies Readonly<Record<keyof LoggedCall, string>>

/** And for what only the page of a call has. */
export const storyWords = {
  reserved_micros_usd: "Reserved",
  cap_micros_usd: "Cap",
  loss_micros_usd: "Beyond the cap",
  loss_nano_usd: "Beyond the cap, before rounding",
  cache_read_tokens: "Read from a cache",
  cache_write_tokens: "Written to a cache",
  evidence: "How this was priced",
  gaps: "Without a price",
  tried: "Upstreams that were tried",
  idempotency: "Idempotency",
  refund: "Refund",
  task: "Task"
} as const satisfies Readonly<Record<Exclude<keyof CallStory, keyof LoggedCall>, string>>

/** And for what only operators see. */
export const operatorWords = {
  account: "Account",
  cost_nano_usd: "Cost",
  margin_nano_usd: "Margin"
} as const satisfies Readonly<Record<Exclude<keyof OperatorCallStory, keyof CallStory>, string>>

export interface StateWords {
  readonly label: string
  /** One sentence. */
  readonly meaning: string
}

/** How a call stands. */
export const stateWords: Readonly<Record<LoggedState, StateWords>> = {
  open: { label: "Open", meaning: "The call is under way. Its price is reserved." },
  running: {
    label: "Running",
    meaning: "The task that this call started is still running. Its price stays reserved until it ends."
  },
  settled: { label: "Settled", meaning: "The call ended. Its charge was taken from the balance." },
  released: {
    label: "Not charged",
    meaning: "The call ended and costs nothing. The reserved amount is available again."
  },
  refused: {
    label: "Refused",
    meaning: "The gateway refused the call. Nothing was sent, and nothing is charged."
  },
  unknown: {
    label: "Unknown",
    meaning: "Nobody knows whether the call ran. Nothing was charged. The reserved amount is available again."
  },
  replayed: {
    label: "Replayed",
    meaning: "The call got the stored answer of an earlier call with the same idempotency key. It costs nothing."
  }
}

/** How the charge of a call was found. */
export const costWords = {
  settled: { label: "Settled", meaning: "The charge follows from what the upstream reported." },
  estimated: {
    label: "Estimated",
    meaning: "The upstream did not report all usage, so the charge was counted from the text."
  }
} as const

/** What a call used without a price of its own, by the name that the price gives it: `tiers.priority`. */
export const gapWords = (name: string): string => {
  const [, what, own] = /^(tier|speed|region)s\.(.+)$/.exec(name) ?? []
  return own === undefined
    ? `${name} has no price, so the nearest price was used.`
    : `The "${own}" ${what} has no price, so the standard price was used.`
}
