import type { Statement, Statements, Value } from "../store/statements.ts"
import type { Endpoint } from "./Endpoints.ts"
import { bodyOf, type Event } from "./Event.ts"

const columns = ["id", "endpoint", "type", "body", "created_at", "state", "attempts", "next_at"]

/** An entry with a known id is not written again. */
const conflict = "ON CONFLICT (id) DO NOTHING"

const isFor = (event: Event, { balanceBelow, events }: Endpoint): boolean =>
  event.type !== "test" &&
  events.includes(event.type) &&
  (event.type !== "balance.low" || event.threshold === balanceBelow)

/** `cause`: what the event follows from. With the type it makes the id, which is the same however often it is decided. */
const idOf = (event: Event, cause: string, { id }: Endpoint): string => {
  const type = event.type === "budget.reached" ? `${event.type}.${event.percent}` : event.type
  return `msg_${type.replaceAll(".", "_")}_${cause}_${id}`
}

/** One entry for each endpoint that asks for the event. */
export const insertEvents = (
  { insert }: Statements,
  endpoints: ReadonlyArray<Endpoint>,
  events: ReadonlyArray<readonly [event: Event, cause: string]>
): ReadonlyArray<Statement> => {
  const rows: Array<ReadonlyArray<Value>> = []
  for (const [event, cause] of events) {
    const body = bodyOf(event)
    for (const endpoint of endpoints) {
      if (!isFor(event, endpoint)) continue
      rows.push([idOf(event, cause, endpoint), endpoint.id, event.type, body, event.at, "pending", 0, event.at])
    }
  }
  return insert("webhooks", columns, rows, conflict)
}
