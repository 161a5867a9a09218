import type { Bound, Input, Operation, Success } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { bindOperation } from "./bindOperation.ts"
import { withinBudgets } from "./budget.ts"
import { Client } from "./Client.ts"
import type { CallError } from "./errors.ts"
import { type Watch, watchWhole } from "./observe/Watch.ts"
import { write } from "./request.ts"
import { send } from "./send.ts"
import * as Terms from "./terms.ts"

export type { CallError } from "./errors.ts"

type Watching = Watch | undefined

const free = Effect.fnUntraced(function* <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  input: Input<O>,
  watch: Watching
) {
  return yield* send(client, operation, yield* write(client, operation, input), undefined, watch)
})

/** A call that costs or changes something is sent with an idempotency key and, if the caller set one, a cap. */
const billed = Effect.fnUntraced(function* <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  input: Input<O>,
  watch: Watching
) {
  const { settle, value } = yield* withinBudgets(client, operation, input, (terms) =>
    Effect.flatMap(write(client, operation, input, Terms.headers(operation.names, terms)), (request) =>
      send(client, operation, request, terms.key, watch)
    )
  )
  // A replayed answer was charged to an earlier call, whose answer may have been lost: deduct the maximum.
  settle(value.replayed ? undefined : value.charge)
  return value
})

/** Makes the function for an operation. */
export const call = <O extends Operation>(operation: O) =>
  Object.assign(
    Effect.fnUntraced(function* (input: Input<O>): Effect.fn.Return<Success<O>, CallError<O>, Client> {
      const client = yield* Client
      const bound = yield* bindOperation(client, operation)
      const make = operation.replay === "free" ? free : billed
      const subject = { client, operation: bound, mode: "call", input } as const
      const made = watchWhole(subject, (watch) => make(client, bound, input, watch))
      return (yield* made as Effect.Effect<{ readonly value: Success<O> }, CallError<O>>).value
    }),
    /** For `quote`. */
    { operation }
  )
