import * as Headers from "@tollgate/contract/Headers"
import type { Bound, Failure, Input, Operation, Request } from "@tollgate/contract/Operation"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Effect from "effect/Effect"
import { bindOperation } from "./bindOperation.ts"
import { Client } from "./Client.ts"
import type { ClientError } from "./errors.ts"
import { watchWhole } from "./observe/Watch.ts"
import { write } from "./request.ts"
import { send } from "./send.ts"

type Quoted<O extends Operation> = Operation<Request, typeof Quote, O["errors"][number]>

/** Asks the gateway for the price of a call. A quote is free, so it may be retried. */
export const ask = <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  input: Input<O>
): Effect.Effect<Quote, Failure<O> | ClientError> => {
  const quoted = { ...operation, success: Quote, replay: "free" } as Bound<Quoted<O>>
  return watchWhole(
    { client, operation, mode: "quote", input },
    Effect.fnUntraced(function* (watch): Effect.fn.Return<Quote, Failure<O> | ClientError> {
      const request = yield* write(client, operation, input, { [Headers.costMode(operation.names)]: "quote" })
      const { value } = yield* send(client, quoted, request, undefined, watch) as Effect.Effect<
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
  input: Input<O>
): Effect.fn.Return<Quote, Failure<O> | ClientError, Client> {
  const client = yield* Client
  return yield* ask(client, yield* bindOperation(client, operation), input)
})
