import type * as Effect from "effect/Effect"
import type { Client } from "../Client.ts"
import type { ContractMismatch, ContractUnverified } from "../after/contract/errors.ts"
import type { Verdict, VerifyOptions } from "../after/contract/verifyContract.ts"
import type { Abortable } from "../promises/CallOptions.ts"
import type { CallPromise } from "../promises/CallPromise.ts"
import { type AnyPromiseClient, isPromiseClient } from "../promises/onClient.ts"
import { verifyContract } from "../promises/verifyContract.ts"

/** What to do if the contracts differ, or the gateway's cannot be read. Default: fail. */
export type CheckOptions = Partial<Omit<VerifyOptions, "expect">>

/** Compares a gateway's contract with a known one. */
export interface CheckContract {
  (options?: CheckOptions): Effect.Effect<Verdict, ContractMismatch | ContractUnverified, Client>
  (client: AnyPromiseClient, options?: CheckOptions & Abortable): CallPromise<Verdict>
}

/** Makes the function that compares a gateway's contract with the one of this hash. Generated files export it. */
export const contractCheck = (contentHash: string): CheckContract => {
  const optionsOf = (options: CheckOptions = {}) =>
    ({ onMismatch: "fail", ...options, expect: { contentHash } }) as const
  return (first?: object, { signal, ...options }: CheckOptions & Abortable = {}): never =>
    (first !== undefined && isPromiseClient(first)
      ? verifyContract(first, optionsOf(options), signal === undefined ? {} : { signal })
      : verifyContract(optionsOf(first as CheckOptions))) as never
}
