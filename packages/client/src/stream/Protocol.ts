import { type Event, list, object, text } from "./Event.ts"
import type { Reading } from "./Reading.ts"

/** How a stream says that it is whole. */
export interface Protocol {
  /** Data that is no event, and comes after the last. */
  readonly mark?: string
  /** For each stream anew: how it stands with this event; `undefined` where that says nothing of it. */
  readonly standing: () => (event: Event) => Reading["state"] | undefined
}

export const openai: Protocol = { mark: "[DONE]", standing: () => () => undefined }

export const anthropic: Protocol = {
  standing: () => (event) => (event["type"] === "message_stop" ? "over" : undefined)
}

/** There is no last event: the answer is whole when each of its candidates is, or when the prompt was refused. */
export const gemini: Protocol = {
  standing: () => {
    const finished = new Map<unknown, boolean>()
    return (event) => {
      for (const { finishReason, index = 0 } of list(event["candidates"])) {
        finished.set(index, finished.get(index) === true || (text(finishReason) ?? "") !== "")
      }
      if ((text(object(event["promptFeedback"])["blockReason"]) ?? "") !== "") return "whole"
      if (finished.size === 0) return undefined
      return [...finished.values()].every(Boolean) ? "whole" : "open"
    }
  }
}
