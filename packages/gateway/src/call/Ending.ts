import type { Charge } from "@tollgate/contract/Outcome"
import type { Routed } from "../exchange/Exchange.ts"
import type { Admission } from "../limits/Admission.ts"
import type { Reply, Answer } from "../exchange/Reply.ts"
import type { Repeatable } from "../kept/HeldAnswers.ts"

/** How a call that was admitted ends. */
export interface Ending {
  readonly reply: Reply
  /** Tokens used, to correct the limits by; `undefined` if not known. `later`: a stream ends its admission itself. */
  readonly tokens: number | undefined | "later"
}

/** The call was executed before: its answer is sent again. */
export interface Replay {
  readonly kind: "replay"
  readonly repeatable: Repeatable
  /** Of the earlier call. */
  readonly charge: Charge
}

/** How a streamed answer ended. `finished`: the upstream ended it; `cut`: it broke off; `left`: the caller left before that. */
export type StreamEnd = "finished" | "cut" | "left"

export const free: Charge = { state: "none" }

export const wholeEnding = (
  exchange: Routed,
  answer: Answer,
  { limits }: Admission,
  charge: Charge,
  tokens: number | undefined
): Ending => ({ reply: { kind: "whole", exchange, answer, limits, charge }, tokens })
