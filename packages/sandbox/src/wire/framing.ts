import type { Framing } from "../BilledAnswer.ts"

/** Server-sent events. */
export const sse: Framing = {
  contentType: "text/event-stream",
  frame: ({ data, event }) => `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`,
  close: () => ""
}

/** One JSON array, sent item by item. */
export const array: Framing = {
  contentType: "application/json",
  frame: ({ data }, index) => `${index === 0 ? "[" : ",\n"}${data}`,
  close: (sent) => (sent === 0 ? "[]" : "]")
}
