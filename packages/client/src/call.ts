import { fromMicros } from "@tollgate/contract/Money"
import { type Bound, type Input, isQuotable, type Operation, type Success } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { boundOf } from "./boundOf.ts"
import { Purses, spend } from "./budget.ts"
import { Client } from "./Client.ts"
import type { CallError } from "./errors.ts"
import * as Terms from "./terms.ts"
import { ask } from "./quote.ts"
import { write } from "./request.ts"
import { send } from "./send.ts"

export type { CallError } from "./errors.ts"

const free = Effect.fnUntraced(function* <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  input: Input<O>
) {
  return yield* send(client, operation, yield* write(client, operation, input), undefined)
})

/** Calls that cost or change something go under a key and, where the caller set one, under a cap. */
const billed = Effect.fnUntraced(function* <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  input: Input<O>
) {
  const terms = yield* Terms.of(client, operation)
  const purses = yield* Purses
  const sendUnder = (agreed: Terms.Terms) =>
    Effect.flatMap(write(client, operation, input, Terms.headers(operation.names, agreed)), (request) =>
      send(client, operation, request, agreed.key)
    )
  if (purses.length === 0 || !isQuotable(operation)) return yield* sendUnder(terms)
  const most = fromMicros((yield* ask(client, operation, input)).max_micros_usd)
  // The quote is the cap as well: prices may change between the two requests, and the budget must hold.
  const cap = terms.cap !== undefined && terms.cap < most ? terms.cap : most
  return yield* spend(purses, operation.id, most, sendUnder({ ...terms, cap }))
})

/** Makes the function for an operation. */
export const call = <O extends Operation>(operation: O) =>
  Object.assign(
    Effect.fnUntraced(function* (input: Input<O>): Effect.fn.Return<Success<O>, CallError<O>, Client> {
      const client = yield* Client
      const bound = yield* boundOf(client, operation)
      const made = operation.replay === "free" ? free(client, bound, input) : billed(client, bound, input)
      return (yield* made as Effect.Effect<{ readonly value: Success<O> }, CallError<O>>).value
    }),
    /** For `quote`. */
    { operation }
  )
