import * as Headers from "@tollgate/contract/Headers"
import * as declared from "@tollgate/contract/errors/Family"
import type { Bound, Failure, Input, Operation, Request } from "@tollgate/contract/Operation"
import { amountOf } from "@tollgate/contract/Money"
import { type CallPrice, Quote } from "@tollgate/contract/resources/Quote"
import * as Effect from "effect/Effect"
import { type CallFunction, operationOf } from "./bindOperation.ts"
import type { QuoteOptions } from "../options/CallOptions.ts"
import { Client } from "../Client.ts"
import type { ClientError, Listed } from "../errors/errors.ts"
import { type Invocation, invoke } from "./Invocation.ts"
import { watchWhole } from "./Watch.ts"
import { write } from "./request.ts"
import { send } from "./send.ts"

/** A quote spends nothing, has no idempotency key and reaches no upstream: it fails like a free operation. */
type Status = (typeof declared.free)[number]
const statuses: ReadonlyArray<number> = declared.free

type StatusOf<O extends Operation> = Extract<O["errors"][number], Status>
type Quoted<O extends Operation> = Operation<Request, typeof Quote, StatusOf<O>>
export type QuoteErrorOf<O extends Operation> = Failure<Quoted<O>> | ClientError

/** Every error of a quote. */
export type QuoteError = Listed<Failure<Operation<Request, typeof Quote, Status>> | ClientError>

const quotedOf = <O extends Operation>(invocation: Invocation<O>): Invocation<Quoted<O>> => {
  const { bytes: _bytes, list: _, ...operation } = invocation.operation
  const errors = operation.errors.filter((status): status is StatusOf<O> => statuses.includes(status))
  const quoted = { ...operation, success: Quote, replay: "free", errors } as Bound<Quoted<O>>
  return { ...invocation, source: quoted, operation: quoted }
}

/** Asks the gateway for the price of a call. A quote is free, so it may be retried. */
export const ask = <O extends Operation>(
  invocation: Invocation<O>,
  input: Input<O>
): Effect.Effect<CallPrice, QuoteErrorOf<O>> => {
  const { client, operation } = invocation
  return watchWhole(
    { client, operation, mode: "quote", input },
    Effect.fnUntraced(function* (watch): Effect.fn.Return<CallPrice, QuoteErrorOf<O>> {
      const request = yield* write(invocation, input, { [Headers.costMode.key(operation.names)]: "quote" })
      const { value } = yield* send(quotedOf(invocation), request, undefined, watch) as Effect.Effect<
        { readonly value: Quote },
        QuoteErrorOf<O>
      >
      const { estimate_micros_usd: estimate, max_micros_usd: max } = value
      const price = { ...value, estimate: amountOf(estimate), max: amountOf(max) }
      watch?.quoted(price)
      return price
    })
  )
}

/**
 * Asks for the price of a call without making it. Free of charge. Fails for free operations.
 *
 * @example
 * const { max } = yield* quote(rerank, { query: "longest river", documents: ["The Nile…"] })
 */
export const quote = <I>(
  f: CallFunction<I, unknown, unknown>,
  input: NoInfer<I>,
  options?: QuoteOptions
): Effect.Effect<CallPrice, QuoteError, Client> =>
  Effect.flatMap(Client, (client) =>
    Effect.flatMap(operationOf(f), (operation) =>
      Effect.flatMap(invoke(client, operation, input, options), (invocation) =>
        ask(invocation, invocation.input as never)
      )
    )
  )
