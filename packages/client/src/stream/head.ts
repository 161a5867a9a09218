import { fromMicros } from "@tollgate/contract/Money"
import type { Bound, Input, Operation } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import { Purses, spend } from "../budget.ts"
import type { Client } from "../Client.ts"
import { ask } from "../quote.ts"
import { write } from "../request.ts"
import { schedule } from "../retry/schedule.ts"
import * as Terms from "../terms.ts"
import { open } from "./open.ts"

/** Of a budget the most that a stream can cost is taken when it begins, and what it did not cost given back. */
const pending: Charge = { state: "pending" }

/**
 * The head of an answer, under the terms that the caller has set. It is asked for again only on proof that nothing ran: the
 * key protects from paying twice, but what a stream has said cannot be had a second time.
 */
export const head = Effect.fnUntraced(function* <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  input: Input<O>,
  query: Readonly<Record<string, string>>
) {
  const { policy, tokens } = client
  const again = yield* schedule({ policy, tokens, replay: operation.replay, keyed: false })
  const openUnder = Effect.fnUntraced(function* (agreed: Terms.Terms) {
    const headers = { ...Terms.headers(operation.names, agreed), accept: "text/event-stream" }
    const request = yield* write(client, operation, input, headers, query)
    return yield* open(client, operation, request).pipe(
      Effect.retry(again),
      Effect.tap(() => Effect.sync(tokens.succeeded))
    )
  })
  const terms = yield* Terms.of(client, operation)
  const purses = yield* Purses
  if (purses.length === 0) return { response: yield* openUnder(terms), settle: () => {} }
  const most = fromMicros((yield* ask(client, operation, input)).max_micros_usd)
  const cap = terms.cap !== undefined && terms.cap < most ? terms.cap : most
  const opened = Effect.map(openUnder({ ...terms, cap }), (value) => ({ value, charge: pending, replayed: false }))
  const { value: response } = yield* spend(purses, operation.id, most, opened)
  return {
    response,
    settle: ({ micros }: Charge) => {
      if (micros === undefined) return
      for (const purse of purses) purse.left += most - fromMicros(micros)
    }
  }
})
