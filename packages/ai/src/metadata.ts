import { type Amount, type Charge, Money } from "@tollgate/client"

/** The price of a call, asked for before it was made. */
export interface QuotedPrice {
  readonly estimate: Amount
  readonly max: Amount
}

/** What is known of a call besides its answer: `providerMetadata.tollgate` of `ai`, `metadata.tollgate` of Effect's parts. */
export interface TollgateMetadata {
  /** What the call cost. Of a replayed answer it is what the first call cost, once. */
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
 * What several steps cost together: `costOf(result.steps)`, or of images `costOf([result])`. Replayed answers are left out. The
 * state is that of the least certain step, and `unknown` if one has no cost.
 */
export const costOf = (steps: Iterable<Carrying>): Charge => {
  let micros = 0
  let certainty = 0
  const all = [...steps].flatMap(({ providerMetadata }) => {
    const own = (providerMetadata?.["tollgate"] ?? {}) as Partial<TollgateMetadata> & {
      readonly images?: ReadonlyArray<Partial<TollgateMetadata>>
    }
    return own.images ?? [own]
  })
  for (const { cost, replayed = false } of all) {
    if (replayed) continue
    certainty = Math.max(certainty, uncertainty.indexOf(cost?.state ?? "unknown"))
    micros += cost?.micros ?? 0
  }
  return { state: uncertainty[certainty] ?? "unknown", micros, usd: Money.usd(micros) }
}
