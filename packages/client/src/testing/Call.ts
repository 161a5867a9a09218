import type { Bound, Operation } from "@tollgate/contract/Operation"

/** A function of the client, or its operation. */
export type Target<O extends Operation> = O | { readonly operation: O }

export const operationOf = <O extends Operation>(target: Target<O>): O =>
  "operation" in target ? target.operation : target

/** A request that the gateway received. Each attempt is one request. */
export interface Call<Input = unknown> {
  readonly operation: string
  readonly input: Input
  /** Lower-case names, without the credential. */
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds on the test's clock. */
  readonly at: number
  readonly mode: "call" | "quote"
  readonly idempotencyKey: string | undefined
  readonly requestId: string
}

/** A request with what the gateway needs to answer it. */
export interface ReceivedCall extends Call {
  readonly bound: Bound
  /** The JSON body, which the price depends on. */
  readonly body: unknown
  /** Two calls with one idempotency key must have the same payload. */
  readonly payload: string
}
