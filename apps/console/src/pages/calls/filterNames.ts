export const choiceNames = [
  "account",
  "key",
  "operation",
  "model",
  "status",
  "failed",
  "state",
  "cost_state",
  "tag"
] as const
export type ChoiceName = (typeof choiceNames)[number]

export const filterNames = [...choiceNames, "from", "to", "q"] as const
export type FilterName = (typeof filterNames)[number]
