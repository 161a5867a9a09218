import * as Headers from "@tollgate/contract/Headers"
import type { Failure, Input, Operation, Request } from "@tollgate/contract/Operation"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Effect from "effect/Effect"
import type { CallOptions } from "./CallOptions.ts"
import { Client } from "./Client.ts"
import type { ClientError } from "./errors.ts"
import { type Invocation, invoke } from "./Invocation.ts"
import { watchWhole } from "./observe/Watch.ts"
import { write } from "./request.ts"
import { send } from "./send.ts"

type Quoted<O extends Operation> = Operation<Request, typeof Quote, O["errors"][number]>

/** Asks the gateway for the price of a call. A quote is free, so it may be retried. */
export const ask = <O extends Operation>(
  invocation: Invocation<O>,
  input: Input<O>
): Effect.Effect<Quote, Failure<O> | ClientError> => {
  const { client, operation } = invocation
  const quoted = { ...invocation, operation: { ...operation, success: Quote, replay: "free" } } as Invocation<Quoted<O>>
  return watchWhole(
    { client, operation, mode: "quote", input },
    Effect.fnUntraced(function* (watch): Effect.fn.Return<Quote, Failure<O> | ClientError> {
      const request = yield* write(invocation, input, { [Headers.costMode(operation.names)]: "quote" })
      const { value } = yield* send(quoted, request, undefined, watch) as Effect.Effect<
        { readonly value: Quote },
        Failure<O> | ClientError
      >
      watch?.quoted(value)
      return value
    })
  )
}

/** Asks for the price of a call without making it: `quote(rerank, { query, documents })`. Fails for free operations. */
export const quote = Effect.fnUntraced(function* <O extends Operation>(
  { operation }: { readonly operation: O },
  input: Input<O>,
  options?: Omit<CallOptions, "idempotencyKey" | "maxPrice">
): Effect.fn.Return<Quote, Failure<O> | ClientError, Client> {
  return yield* ask(yield* invoke(yield* Client, operation, options), input)
})
