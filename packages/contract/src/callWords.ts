import type { CallStory, LoggedCall } from "./account/LoggedCall.ts"
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
  kept: "Kept answer",
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
  gaps: "Used without a price",
  tried: "Upstreams that were tried",
  idempotency: "Idempotency",
  task: "Task"
} as const satisfies Readonly<Record<Exclude<keyof CallStory, keyof LoggedCall>, string>>

/** And for what only operators see. */
export const operatorWords = {
  account: "Account",
  cost_nano_usd: "Cost",
  margin_nano_usd: "Margin"
} as const satisfies Readonly<Record<Exclude<keyof OperatorCallStory, keyof CallStory>, string>>
