import type { Charge } from "@tollgate/contract/Outcome"
import type { RateLimits } from "@tollgate/contract/RateLimits"
import type * as Stream from "effect/Stream"
import type { Accepted, Decoded, Priced, Routed } from "./Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type * as Effect from "effect/Effect"
import * as Utf8 from "@tollgate/contract/Utf8"

/** A whole answer, of an upstream or of the gateway itself. */
export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  /** What an upstream's header says that the call cost, where the price goes by that. Callers do not get it. */
  readonly reportedCost?: string | undefined
}

export const json = (body: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  contentType: "application/json",
  headers,
  bytes: Utf8.encode(body)
})

/** Answers an operation without an upstream. One file each, named after the operation. */
export type Builtin = (exchange: Decoded) => Effect.Effect<BuiltinAnswer, Refused>

/** `charge` is that of an earlier call which the answer is about. */
export type BuiltinAnswer = Answer & { readonly charge?: Charge }

/** A call that was answered. A priced one may have had an output bound. */
type Ended = Routed & Pick<Priced, "outputBound">

export type Reply = WholeReply | StreamReply | RefusedReply

export interface WholeReply {
  readonly kind: "whole"
  readonly exchange: Ended
  readonly answer: Answer
  readonly limits: RateLimits
  readonly charge: Charge
}

export interface StreamReply {
  readonly kind: "stream"
  readonly exchange: Ended
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
