import * as Context from "effect/Context"

/**
 * What a gateway does while the store of the limits is gone. `share`: it applies its part of each limit, in memory.
 * `refuse`: it refuses every call that is limited.
 */
export type LimitsFallback = "share" | "refuse"

export const LimitsFallback = Context.Reference<LimitsFallback>("@tollgate/gateway/LimitsFallback", {
  defaultValue: () => "share"
})
