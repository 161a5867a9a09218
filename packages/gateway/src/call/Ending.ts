import type { Charge } from "@tollgate/contract/Outcome"
import type { Routed } from "../exchange/Exchange.ts"
import type { Admission } from "../limits/Admission.ts"
import type { Reply, Answer } from "../exchange/Reply.ts"

/** How a call that was admitted ends. */
export interface Ending {
  readonly reply: Reply
  /** Tokens used, to correct the limits by; `undefined` if not known. `later`: a stream ends its admission itself. */
  readonly tokens: number | undefined | "later"
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
