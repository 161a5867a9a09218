import type { Input } from "@tollgate/contract/Operation"
import { financialSnapshot as operation } from "@tollgate/contract/operations/financialSnapshot"
import type { FinancialSnapshot } from "@tollgate/contract/resources/FinancialSnapshot"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface FinancialSnapshotInput extends Input<typeof operation> {
  /** The company's registry key. It may replace the ticker. */
  readonly cik?: string
}

export type FinancialSnapshotError = Listed<CallError<typeof operation>>

/**
 * Financial metrics of a company as they stand.
 *
 * @example
 * const { snapshot } = yield* financialSnapshot({ ticker: "ACME" })
 */
export const financialSnapshot: (
  input: FinancialSnapshotInput,
  options?: CallOptions
) => Effect.Effect<FinancialSnapshot, FinancialSnapshotError, Client> = /* @__PURE__ */ call(operation)
