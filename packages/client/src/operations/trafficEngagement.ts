import type { Input, Success } from "@tollgate/contract/Operation"
import { trafficEngagement as operation } from "@tollgate/contract/operations/trafficEngagement"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface TrafficEngagementInput extends Input<typeof operation> {}
export interface TrafficEngagementResult extends Success<typeof operation> {}
export type TrafficEngagementError = Listed<CallError<typeof operation>>

/**
 * How visitors engage with a website.
 *
 * @example
 * const figures = yield* trafficEngagement({ domain: "example.com" })
 */
export const trafficEngagement: (
  input: TrafficEngagementInput,
  options?: CallOptions
) => Effect.Effect<TrafficEngagementResult, TrafficEngagementError, Client> = /* @__PURE__ */ call(operation)
