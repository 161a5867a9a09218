import type { Success } from "@tollgate/contract/Operation"
import { contractVersion as operation } from "@tollgate/contract/operations/contractVersion"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface ContractVersionResult extends Success<typeof operation> {}
export type ContractVersionError = Listed<CallError<typeof operation>>

/**
 * Which contract is served.
 *
 * @example
 * const { contentHash } = yield* contractVersion()
 */
export const contractVersion: (
  input?: void,
  options?: CallOptions
) => Effect.Effect<ContractVersionResult, ContractVersionError, Client> = /* @__PURE__ */ call(operation)
