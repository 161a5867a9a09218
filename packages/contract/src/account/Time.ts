import * as Schema from "effect/Schema"

/** ISO 8601 in UTC. */
export const Time = Schema.String.annotate({ format: "date-time" })
