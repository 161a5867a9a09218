import type { CallResponse } from "../call/withResponse.ts"

/** The promise of one call. */
export interface CallPromise<A> extends Promise<A> {
  /**
   * Resolves with the value and what else the answer says: status, request id, cost, limits and headers.
   *
   * @example
   * const { cost, value } = await tollgate.rerank(input).withResponse()
   */
  readonly withResponse: () => Promise<CallResponse<A>>
}
