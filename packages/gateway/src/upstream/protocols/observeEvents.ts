import type { Event } from "../../internal/sse.ts"
import { type EventReader, filterEvents } from "./filterEvents.ts"

/** Reads the events of a stream and forwards all of them unchanged. */
export const observeEvents = (onEvent: (event: Event) => void, maxBytes?: number): EventReader =>
  filterEvents((event) => {
    onEvent(event)
    return "keep"
  }, maxBytes)
