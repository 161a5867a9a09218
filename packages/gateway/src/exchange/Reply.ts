import type { Charge } from "@tollgate/contract/Outcome"
import type { RateLimits } from "@tollgate/contract/RateLimits"
import type * as Stream from "effect/Stream"
import type { Accepted, Routed } from "./Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Answer } from "./Answer.ts"

/** What the gateway returns to a face. */
export type Reply = WholeReply | StreamReply | RefusedReply

export interface WholeReply {
  readonly kind: "whole"
  readonly exchange: Routed
  readonly answer: Answer
  readonly limits: RateLimits
  readonly charge: Charge
}

export interface StreamReply {
  readonly kind: "stream"
  readonly exchange: Routed
  readonly head: Omit<Answer, "bytes">
  readonly body: Stream.Stream<Uint8Array, unknown>
  readonly limits: RateLimits
  /** Known at the end only, so `pending` while the stream is billed. */
  readonly charge: Charge
}

export interface RefusedReply {
  readonly kind: "refused"
  readonly exchange: Accepted
  readonly refused: Refused
  readonly limits: RateLimits
}
