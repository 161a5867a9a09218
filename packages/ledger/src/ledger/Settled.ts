import type { NanoUsd } from "@tollgate/contract/Money"
import type { CostState } from "@tollgate/contract/Outcome"
import type { TokenUsage } from "@tollgate/contract/price/evidence"
import type { Settlement } from "@tollgate/contract/price/contracts"
import type { StoredAnswer } from "./StoredAnswer.ts"

/** What a call that ran cost, with the evidence and the answer. The metered price may exceed the reservation. */
export interface Settled {
  readonly settlement: Settlement
  /** `estimated` if the answer did not prove its cost. */
  readonly costState: Extract<CostState, "settled" | "estimated">
  readonly answer: StoredAnswer
  readonly evidence: string
  readonly usage: TokenUsage
  /** Output that the caller does not see, for traces. It is part of the output, and not recorded. */
  readonly reasoning?: number
  /** What was used and has no price, by name. It is charged at the nearest price. */
  readonly gaps?: ReadonlyArray<string>
  /** What the upstream charges for it, if its prices are known. */
  readonly cost?: NanoUsd
  /** Whether the answer reports a failure in spite of its status, as a reseller's does. */
  readonly failed?: boolean
}
