import type { Charge } from "@tollgate/client"

/** The price of a call, asked for before it was made. In millionths of a USD. */
export interface QuotedPrice {
  readonly estimateMicros: number
  readonly maxMicros: number
}

/** What is known of a call besides its answer: `providerMetadata.tollgate` of `ai`, `metadata.tollgate` of Effect's parts. */
export interface TollgateMetadata {
  /** What the call cost, in millionths of a USD. Of a replayed answer it is what the first call cost, once. */
  readonly cost: Charge
  readonly requestId?: string
  /** The answer of an earlier call under the same idempotency key. It cost nothing again. */
  readonly replayed: boolean
  /** The same call with this key gets the same answer and is not paid again. */
  readonly idempotencyKey?: string
  readonly maxPrice?: string
  readonly quote?: QuotedPrice
}

/** Metadata of a step, a result or a part, wherever `ai` or Effect carry it. */
interface Carrying {
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined
}

const uncertainty = ["none", "settled", "estimated", "pending", "unknown"] as const

/**
 * What several steps cost together: `costOf(result.steps)`. Replayed answers are left out. The state is that of the least
 * certain step, and `unknown` if one has no cost.
 */
export const costOf = (steps: Iterable<Carrying>): Charge => {
  let micros = 0
  let certainty = 0
  for (const { providerMetadata } of steps) {
    const { cost, replayed = false } = (providerMetadata?.["tollgate"] ?? {}) as Partial<TollgateMetadata>
    if (replayed) continue
    certainty = Math.max(certainty, uncertainty.indexOf(cost?.state ?? "unknown"))
    micros += cost?.micros ?? 0
  }
  return { state: uncertainty[certainty] ?? "unknown", micros } as Charge
}
