import { type Event, object } from "./Event.ts"

/** Asks for a stream that ends with what was used, unless the caller says otherwise. */
export const withUsage = (body: Event): Event => ({
  ...body,
  stream: true,
  stream_options: { include_usage: true, ...object(body["stream_options"]) }
})
