import type { TriedUpstream } from "@tollgate/contract/account/LoggedCall"

/** Which upstreams a call was sent to. */
export interface Attempted {
  /** The name of the one that answered. */
  readonly provider?: string | undefined
  /** All that were tried, in order. `undefined`: the first one answered. */
  readonly tried?: ReadonlyArray<TriedUpstream> | undefined
}
