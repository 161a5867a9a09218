import type { Input, Operation, Success } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { withinBudgets } from "./budget.ts"
import type { CallOptions } from "../options/CallOptions.ts"
import { Client } from "../Client.ts"
import { type CallError, inputInvalid } from "../errors/errors.ts"
import { type Invocation, invoke } from "./Invocation.ts"
import { type Watch, watchWhole } from "./Watch.ts"
import { readInput, write } from "./request.ts"
import { send } from "./send.ts"
import { termHeaders } from "./terms.ts"

type Watching = Watch | undefined

const free = Effect.fnUntraced(function* <O extends Operation>(
  invocation: Invocation<O>,
  input: Input<O>,
  watch: Watching
) {
  return yield* send(invocation, yield* write(invocation, input), undefined, watch)
})

/** A call that costs or changes something is sent with an idempotency key and, if the caller set one, a cap. */
const billed = Effect.fnUntraced(function* <O extends Operation>(
  invocation: Invocation<O>,
  input: Input<O>,
  watch: Watching
) {
  const { settle, value } = yield* withinBudgets(invocation, input, (terms) =>
    Effect.flatMap(write(invocation, input, termHeaders(invocation.operation.names, terms)), (request) =>
      send(invocation, request, terms, watch)
    )
  )
  settle(value.charge, value.head)
  return value
})

interface Streamable {
  readonly stream?: unknown
}

const asksForStream = (input: Streamable | void, extra: Streamable | undefined): boolean =>
  (input?.stream ?? extra?.stream) === true

/** Makes the function for an operation. `streaming` is the name of the one that streams its answer. */
export const call = <O extends Operation>(operation: O, streaming?: string) =>
  Object.assign(
    Effect.fnUntraced(function* (
      input: Input<O>,
      options?: CallOptions
    ): Effect.fn.Return<Success<O>, CallError<O>, Client> {
      const client = yield* Client
      const invocation = yield* invoke(client, operation, input, options)
      const read = invocation.input as Input<O>
      const { extra } = invocation.settings
      if (
        streaming !== undefined &&
        (yield* readInput(operation.id, () => Effect.succeed(asksForStream(input, extra))))
      ) {
        return yield* inputInvalid(operation.id, `Call \`${streaming}\` for a stream`)
      }
      const make = operation.replay === "free" ? free : billed
      const subject = { client, operation: invocation.operation, mode: "call", input: read } as const
      const made = watchWhole(subject, (watch) => make(invocation, read, watch))
      return (yield* made as Effect.Effect<{ readonly value: Success<O> }, CallError<O>>).value
    }),
    /** For `quote` and `resume`. */
    { operation }
  )
