import type { Input, Success } from "@tollgate/contract/Operation"
import { contractSource as operation } from "@tollgate/contract/operations/contractSource"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError } from "../errors.ts"

export interface ContractSourceInput extends Input<typeof operation> {}
export interface ContractSourceResult extends Success<typeof operation> {}
export type ContractSourceError = CallError<typeof operation>

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
