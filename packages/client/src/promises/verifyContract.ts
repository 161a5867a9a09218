import * as Console from "effect/Console"
import type * as Effect from "effect/Effect"
import type { Client } from "../Client.ts"
import {
  type ContractMismatch,
  type ContractUnverified,
  type Verdict,
  verifyContract as verifyEffect,
  type VerifyError,
  type VerifyOptions,
  verifyWith
} from "../workflows/contract/verifyContract.ts"
import type { Abortable, CallPromise } from "./Promises.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "./runner.ts"

interface VerifyContract {
  <const O extends VerifyOptions>(options: O): Effect.Effect<Verdict, VerifyError<O>, Client>
  (client: AnyPromiseClient, options: VerifyOptions, more?: Abortable): CallPromise<Verdict>
}

/**
 * Compares the gateway's contract with the client's. Free of charge. With promises the client comes first.
 *
 * @example
 * yield* verifyContract({ onMismatch: "fail" })
 * @example
 * await verifyContract(client, { onMismatch: "fail" })
 */
export const verifyContract: VerifyContract = (first: object, options?: VerifyOptions, more?: Abortable) =>
  (isPromiseClient(first)
    ? first[onClient]((options: VerifyOptions) => verifyWith(options, Console.warn))(options as never, more)
    : verifyEffect(first as VerifyOptions)) as never

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
