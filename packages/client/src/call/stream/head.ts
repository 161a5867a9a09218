import type { Input, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { withinBudgets } from "../budget.ts"
import type { Invocation } from "../Invocation.ts"
import { attempted, type Watch } from "../Watch.ts"
import { write } from "../request.ts"
import { retrying } from "../retrying.ts"
import { termHeaders } from "../terms.ts"
import { open } from "./open.ts"

/**
 * Requests a stream and returns the head of the answer. It is retried only if nothing ran: an idempotency key prevents a
 * second charge, but a stream cannot be replayed. `resume` asks under the key all the same, to learn what became of it.
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
      const { operation } = invocation
      const headers = { ...termHeaders(operation.names, terms), accept: "text/event-stream" }
      const request = yield* write(invocation, input, headers, query)
      const attempt = attempted(watch, request, (request) => open(invocation, request))
      const opened = yield* retrying(invocation, terms, terms.resumed !== undefined, attempt, (opened) =>
        watch?.opened(opened)
      )
      return { opened, terms }
    })
  )
