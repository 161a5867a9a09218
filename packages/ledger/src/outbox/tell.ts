import type { Balances } from "../ledger/Balances.ts"
import { type LedgerEvent, eventsOf } from "../ledger/LedgerEvent.ts"
import type { Applied } from "../ledger/Transition.ts"
import type { Statement, Statements } from "../store/statements.ts"
import type { Endpoints } from "./Endpoints.ts"
import { insertEvents } from "./insertEvents.ts"

/** The entries of the outbox that a group of transitions causes, to be written in its transaction. */
export type Tell = (applied: ReadonlyArray<Applied>, balances: Balances) => ReadonlyArray<Statement>

const nothing: ReadonlyArray<Statement> = []

export const tellNobody: Tell = () => nothing

const causeOf = (event: LedgerEvent): string => (event.type === "call.unknown" ? event.call : event.cause)

export const make =
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
