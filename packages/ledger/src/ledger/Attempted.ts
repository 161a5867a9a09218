import type { TriedUpstream } from "@tollgate/contract/errors/Refused"

/** Which upstreams a call was sent to. */
export interface Attempted {
  /** The name of the one that answered. */
  readonly provider?: string | undefined
  /** All that were tried, in order. `undefined`: the first one answered. */
  readonly tried?: ReadonlyArray<TriedUpstream> | undefined
}
