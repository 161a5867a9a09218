import type { Success } from "@tollgate/contract/Operation"
import { salesData as operation } from "@tollgate/contract/operations/salesData"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface SalesDataResult extends Success<typeof operation> {}
export type SalesDataError = Listed<CallError<typeof operation>>

/**
 * The last verified snapshot of sales data. `sourceState` reads what its 503 says.
 *
 * @example
 * const sales = yield* salesData()
 */
export const salesData: (
  input?: void,
  options?: CallOptions
) => Effect.Effect<SalesDataResult, SalesDataError, Client> = /* @__PURE__ */ call(operation)
