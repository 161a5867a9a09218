import type { Bound, Input, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { withinBudgets } from "../budget.ts"
import type { Client } from "../Client.ts"
import { attempted, type Watch } from "../observe/Watch.ts"
import { write } from "../request.ts"
import { schedule } from "../retry/schedule.ts"
import * as Terms from "../terms.ts"
import { open } from "./open.ts"

/**
 * Requests a stream and returns the head of the answer. It is retried only if nothing ran: an idempotency key prevents a
 * second charge, but a stream cannot be replayed.
 */
export const head = <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  input: Input<O>,
  query: Readonly<Record<string, string>>,
  watch: Watch | undefined
) =>
  withinBudgets(
    client,
    operation,
    input,
    Effect.fnUntraced(function* (terms) {
      const { policy, tokens } = client
      const headers = { ...Terms.headers(operation.names, terms), accept: "text/event-stream" }
      const request = yield* write(client, operation, input, headers, query)
      return yield* attempted(watch, request, (request) => open(client, operation, request)).pipe(
        Effect.retry(yield* schedule({ policy, tokens, replay: operation.replay, keyed: false })),
        Effect.tap((opened) =>
          Effect.sync(() => {
            tokens.succeeded()
            watch?.opened(opened)
          })
        )
      )
    })
  )
