import type { Input } from "@tollgate/contract/Operation"
import { usage as operation } from "@tollgate/contract/operations/usage"
import type { UsageReport } from "@tollgate/contract/resources/UsageReport"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface UsageInput extends Input<typeof operation> {
  /** Unix seconds. */
  readonly start_time: number
  /** Unix seconds. Defaults to now. */
  readonly end_time?: number
}

export type UsageError = Listed<CallError<typeof operation>>

/**
 * What the credential has used and been charged, by day. Times are Unix seconds.
 *
 * @example
 * const { totals } = yield* usage({ start_time: 1767225600 })
 */
export const usage: (input: UsageInput, options?: CallOptions) => Effect.Effect<UsageReport, UsageError, Client> =
  /* @__PURE__ */ call(operation)
