import type { Input, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { withinBudgets } from "../budget.ts"
import type { Invocation } from "../Invocation.ts"
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
  invocation: Invocation<O>,
  input: Input<O>,
  query: Readonly<Record<string, string>>,
  watch: Watch | undefined
) =>
  withinBudgets(
    invocation,
    input,
    Effect.fnUntraced(function* (terms) {
      const { client, operation } = invocation
      const headers = { ...Terms.headers(operation.names, terms), accept: "text/event-stream" }
      const request = yield* write(invocation, input, headers, query)
      return yield* attempted(watch, request, (request) => open(invocation, request)).pipe(
        Effect.retry(schedule(invocation, false)),
        Effect.tap((opened) =>
          Effect.sync(() => {
            client.tokens.succeeded()
            watch?.opened(opened)
          })
        )
      )
    })
  )
