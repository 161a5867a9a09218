import * as Console from "effect/Console"
import type * as Effect from "effect/Effect"
import type { Client } from "../Client.ts"
import {
  type Verdict,
  verifyContract as verifyEffect,
  type VerifyError,
  type VerifyOptions,
  verifyWith
} from "../after/contract/verifyContract.ts"
import type { Abortable } from "./CallOptions.ts"
import type { CallPromise } from "./CallPromise.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "./onClient.ts"

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
