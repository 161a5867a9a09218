/** What an endpoint can ask for. */
export const eventTypes = [
  "balance.low",
  "budget.reached",
  "upstream.down",
  "upstream.up",
  "audit.difference",
  "call.unknown"
] as const

export type EventType = (typeof eventTypes)[number]
