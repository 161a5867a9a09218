import type { Statement, Statements, Value } from "../store/statements.ts"
import type { Endpoint, Endpoints } from "./Endpoints.ts"
import { bodyOf, type Event } from "./Event.ts"
import type { Balances } from "../ledger/Balances.ts"
import { eventsOf, type LedgerEvent } from "../ledger/LedgerEvent.ts"
import type { Applied } from "../ledger/Transition.ts"

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

/** The entries of the outbox that a group of transitions causes, to be written in its transaction. */
export type Tell = (applied: ReadonlyArray<Applied>, balances: Balances) => ReadonlyArray<Statement>

const nothing: ReadonlyArray<Statement> = []

export const tellNobody: Tell = () => nothing

const causeOf = (event: LedgerEvent): string => (event.type === "call.unknown" ? event.call : event.cause)

export const makeTell =
  (statements: Statements, endpoints: Endpoints): Tell =>
  (applied, balances) => {
    const { watch } = endpoints
    if (watch === undefined) return nothing
    const events = eventsOf(watch, applied, balances)
    return events.length === 0
      ? nothing
      : insertEvents(
          statements,
          endpoints.all,
          events.map((event) => [event, causeOf(event)])
        )
  }
