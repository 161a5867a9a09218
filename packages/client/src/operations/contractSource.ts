import type { Input, Success } from "@tollgate/contract/Operation"
import { contractSource as operation } from "@tollgate/contract/operations/contractSource"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface ContractSourceInput extends Input<typeof operation> {
  /** The `contentHash` that `contractVersion` returns. */
  readonly hash: string
  /** The whole contract. */
  readonly bundled?: "1"
  /** Only this operation. */
  readonly operation_id?: string
}

export interface ContractSourceResult extends Success<typeof operation> {}
export type ContractSourceError = Listed<CallError<typeof operation>>

/**
 * The contract, whole or for one operation.
 *
 * @example
 * const document = yield* contractSource({ hash, bundled: "1" })
 */
export const contractSource: (
  input: ContractSourceInput,
  options?: CallOptions
) => Effect.Effect<ContractSourceResult, ContractSourceError, Client> = /* @__PURE__ */ call(operation)
