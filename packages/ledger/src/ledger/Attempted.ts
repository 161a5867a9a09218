import type { TriedUpstream } from "@tollgate/contract/errors/Refused"
import type { CallError } from "./CallError.ts"

/** Which upstreams a call was sent to, and why it failed. */
export interface Attempted {
  /** The name of the one that answered. */
  readonly provider?: string | undefined
  /** All that were tried, in order. `undefined`: the first one answered. */
  readonly tried?: ReadonlyArray<TriedUpstream> | undefined
  readonly error?: CallError | undefined
}
