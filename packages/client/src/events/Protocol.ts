import { type Event, list, object, text, type Reading } from "./Event.ts"

/** How a stream shows that it is complete. */
export interface Completion {
  /** Data after the last event that is no event itself. */
  readonly endMarker?: string
  /** Makes, for each stream, the function from an event to the new state; `undefined` leaves the state as it is. */
  readonly trackState: () => (event: Event) => Reading["state"] | undefined
}

/** How a stream is requested, and how it shows that it is complete. */
export interface Protocol extends Completion {
  /** Makes the body ask for a stream. */
  readonly input?: <I>(body: I) => I
  readonly query?: Readonly<Record<string, string>>
}

/** The stream ends with the usage, unless the caller asks otherwise. */
export const openai: Protocol = {
  input: (body) => ({
    ...body,
    stream: true,
    stream_options: { include_usage: true, ...object(object(body)["stream_options"]) }
  }),
  endMarker: "[DONE]",
  trackState: () => () => undefined
}

export const anthropic: Protocol = {
  input: (body) => ({ ...body, stream: true }),
  trackState: () => (event) => (event["type"] === "message_stop" ? "over" : undefined)
}

export const responses: Protocol = {
  input: (body) => ({ ...body, stream: true }),
  trackState: () => (event) =>
    event["type"] === "response.completed" || event["type"] === "response.incomplete" ? "over" : undefined
}

/** There is no last event: the answer is complete when every candidate has finished, or when the prompt was blocked. */
export const gemini: Protocol = {
  query: { alt: "sse" },
  trackState: () => {
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
