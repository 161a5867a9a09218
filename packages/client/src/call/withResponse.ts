import { isReplayed } from "@tollgate/contract/errors/decode"
import type { Charge } from "@tollgate/contract/Outcome"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"
import * as Trace from "./trace.ts"

/** A call's value, and what else its answer says. */
export interface CallResponse<A> {
  readonly value: A
  readonly status: number
  readonly requestId: string | undefined
  /**
   * What the answer cost, as far as the gateway says. If it is `replayed`, that is what the first call was charged, once: a
   * program that calls twice with the same idempotency key and sums the costs must leave out the second.
   */
  readonly cost: Charge
  /** The stored answer of an earlier call under the same idempotency key. */
  readonly replayed: boolean
  readonly limits: RateLimits.RateLimits
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

const noAnswer: NonNullable<Trace.Trace["head"]> = { status: 0, headers: {} }

/** What the answer to the last call says. */
export const responseOf = ({ charge, head }: Trace.Trace): Omit<CallResponse<never>, "value"> => {
  const { headers, requestId = headers["x-request-id"], status } = head ?? noAnswer
  return {
    status,
    requestId,
    cost: charge,
    replayed: isReplayed(headers),
    limits: RateLimits.decode(headers),
    headers
  }
}

/**
 * The value together with status, request id, cost, limits and headers: `withResponse(rerank(input))`. If the effect makes
 * several calls, they are those of the last.
 */
export const withResponse = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<CallResponse<A>, E, R> =>
  Effect.suspend(() => {
    const trace = Trace.make()
    return Effect.map(Effect.provideService(effect, Trace.Trace, trace), (value) => ({ value, ...responseOf(trace) }))
  })
