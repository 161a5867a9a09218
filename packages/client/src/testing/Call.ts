import type { Bound, Operation } from "@tollgate/contract/Operation"

/** A client's function, or the operation that it calls. */
export type Target<O extends Operation> = O | { readonly operation: O }

export const operationOf = <O extends Operation>(target: Target<O>): O =>
  "operation" in target ? target.operation : target

/** A request as the gateway saw it. Each attempt is one. */
export interface Call<Input = unknown> {
  readonly operation: string
  readonly input: Input
  /** In lower case, and without the credential. */
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds on the test's clock. */
  readonly at: number
  readonly mode: "call" | "quote"
  readonly idempotencyKey: string | undefined
  readonly requestId: string
}

/** A call on its way through the gateway. */
export interface Exchange extends Call {
  readonly bound: Bound
  /** What a price is reckoned from. */
  readonly body: unknown
  /** What makes two calls under one key the same. */
  readonly payload: string
}
