import * as Headers from "@tollgate/contract/Headers"
import type { Bound, Failure, Input, Operation, Request } from "@tollgate/contract/Operation"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Effect from "effect/Effect"
import type { CallOptions } from "./CallOptions.ts"
import { Client } from "./Client.ts"
import type { ClientError } from "./errors.ts"
import { type Invocation, invoke } from "./Invocation.ts"
import { watchWhole } from "./observe/Watch.ts"
import { write } from "./request.ts"
import { send } from "./send.ts"

/** A quote spends nothing, has no idempotency key and reaches no upstream, so it cannot fail with these. */
type Unquoted = 402 | 409 | 422 | 502
const unquoted: ReadonlySet<number> = new Set<Unquoted>([402, 409, 422, 502])

type Quoted<O extends Operation> = Operation<Request, typeof Quote, Exclude<O["errors"][number], Unquoted>>

/** Every error of a quote. */
export type QuoteError<O extends Operation> = Failure<Quoted<O>> | ClientError

const quotedOf = <O extends Operation>(invocation: Invocation<O>): Invocation<Quoted<O>> => {
  const { operation } = invocation
  type Status = Exclude<O["errors"][number], Unquoted>
  const errors = operation.errors.filter((status): status is Status => !unquoted.has(status))
  const quoted = { ...operation, success: Quote, replay: "free", errors } as Bound<Quoted<O>>
  return { ...invocation, source: quoted, operation: quoted }
}

/** Asks the gateway for the price of a call. A quote is free, so it may be retried. */
export const ask = <O extends Operation>(
  invocation: Invocation<O>,
  input: Input<O>
): Effect.Effect<Quote, QuoteError<O>> => {
  const { client, operation } = invocation
  return watchWhole(
    { client, operation, mode: "quote", input },
    Effect.fnUntraced(function* (watch): Effect.fn.Return<Quote, QuoteError<O>> {
      const request = yield* write(invocation, input, { [Headers.costMode(operation.names)]: "quote" })
      const { value } = yield* send(quotedOf(invocation), request, undefined, watch) as Effect.Effect<
        { readonly value: Quote },
        QuoteError<O>
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
): Effect.fn.Return<Quote, QuoteError<O>, Client> {
  return yield* ask(yield* invoke(yield* Client, operation, input, options), input)
})
