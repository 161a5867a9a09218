import * as Headers from "@tollgate/contract/Headers"
import * as declared from "@tollgate/contract/errors/declared"
import type { Failure, Operation, Request } from "@tollgate/contract/Operation"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Effect from "effect/Effect"
import { type CallFunction, operationOf } from "./CallFunction.ts"
import type { CallOptions } from "./CallOptions.ts"
import { Client } from "./Client.ts"
import type { ClientError } from "./errors.ts"
import { type Invocation, invoke } from "./Invocation.ts"
import { watchWhole } from "./observe/Watch.ts"
import { write } from "./request.ts"
import { send } from "./send.ts"

/** A quote has the statuses of a free operation, also where the operation itself is billed. */
type QuoteStatus = (typeof declared.free)[number]

type Quoted = Operation<Request, typeof Quote, QuoteStatus>

/** Every error of a quote. */
export type QuoteError = Failure<Quoted> | ClientError

/** Options of a quote. */
export interface QuoteOptions extends Omit<CallOptions, "idempotencyKey" | "maxPrice"> {}

const isQuoteStatus = (status: number): status is QuoteStatus =>
  (declared.free as ReadonlyArray<number>).includes(status)

/** Asks the gateway for the price of a call. A quote is free, so it may be retried. */
export const ask = (invocation: Invocation, input: unknown): Effect.Effect<Quote, QuoteError> => {
  const { client, operation } = invocation
  const errors = operation.errors.filter(isQuoteStatus)
  const bound = { ...operation, success: Quote, replay: "free", errors } as const
  const quoted: Invocation<Quoted> = { ...invocation, source: bound, operation: bound }
  return watchWhole(
    { client, operation, mode: "quote", input },
    Effect.fnUntraced(function* (watch): Effect.fn.Return<Quote, QuoteError> {
      const request = yield* write(invocation, input, { [Headers.costMode(operation.names)]: "quote" })
      const { value } = yield* send(quoted, request, undefined, watch) as Effect.Effect<
        { readonly value: Quote },
        QuoteError
      >
      watch?.quoted(value)
      return value
    })
  )
}

/**
 * Asks for the price of a call without making it. Free of charge. Fails for free operations.
 *
 * @example
 * const { max_micros_usd } = yield* quote(rerank, { query: "longest river", documents: ["The Nile…"] })
 */
export const quote = <I>(
  f: CallFunction<I, unknown, unknown>,
  input: NoInfer<I>,
  options?: QuoteOptions
): Effect.Effect<Quote, QuoteError, Client> =>
  Effect.flatMap(Client, (client) =>
    Effect.flatMap(operationOf(f), (operation) =>
      Effect.flatMap(invoke(client, operation, input, options), (invocation) => ask(invocation, input))
    )
  )
