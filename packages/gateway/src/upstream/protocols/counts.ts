import type { ModelEvidence } from "@tollgate/contract/price/evidence"
import { tokensOf } from "@tollgate/contract/price/content"
import { type RequestedTool, priceFactorsOf } from "@tollgate/contract/price/PriceFactors"
import { assumedUses, modelNamed } from "@tollgate/contract/price/contracts/modelDimensions"
import { choicesOf, inputOf, ownLimit } from "@tollgate/contract/price/contracts/modelRequest"
import { isByModel } from "@tollgate/contract/price/Price"
import { promptKinds, type TokenKind, type TokenUsage } from "@tollgate/contract/price/TokenKind"
import type { Mutable } from "effect/Types"
import type { Priced } from "../../exchange/Exchange.ts"
import type { ReportedPart, ReportedUsage } from "../Protocol.ts"
import { detailsWithin } from "../usage/fields.ts"

const partOf = ({ model, ...part }: ReportedPart, own: string) => ({ ...part, model: model ?? own })

/** Adds the model that answered, and what else was reported. Field by field: every call passes here. */
const addReported = (evidence: Mutable<ModelEvidence>, reported: ReportedUsage): void => {
  const { details, gaps, model: served, parts, reasoning, region, speed, tier, uses } = reported
  if (details !== undefined) evidence.details = details
  if (tier !== undefined) evidence.tier = tier
  if (speed !== undefined) evidence.speed = speed
  if (region !== undefined) evidence.region = region
  if (uses !== undefined) evidence.uses = uses
  if (reasoning !== undefined) evidence.reasoning = reasoning
  if (gaps !== undefined) evidence.gaps = gaps
  if (served !== undefined) evidence.served = served
  if (parts !== undefined) evidence.parts = parts.map((part) => partOf(part, evidence.model))
}

/** What was used: as reported, and for what was not reported by counting the text of the request and of the answer. */
export const modelEvidence = (
  { input: { body }, model = "", price }: Priced,
  reported: ReportedUsage = {},
  textBytes: number
): ModelEvidence => {
  const { cacheRead = 0, cacheWrite = 0, input, output } = reported
  const named = isByModel(price) ? modelNamed(price, model) : undefined
  const usage = {
    // Counting the request also counts what was read from a cache or written to it.
    input: input ?? Math.max(0, inputOf(body, named).likely - cacheRead - cacheWrite),
    output: output ?? tokensOf(textBytes),
    cacheRead,
    cacheWrite
  }
  // Some upstreams leave a count of zero out.
  const isReported = input !== undefined && (output !== undefined || textBytes === 0)
  const evidence: Mutable<ModelEvidence> = { kind: "model", model, usage }
  addReported(evidence, reported)
  if (!isReported) evidence.isEstimate = true
  return evidence
}

/** At most this many tokens of all kinds of input together. */
const inputWithin = (usage: TokenUsage, most: number): TokenUsage => {
  let left = most
  const within: Record<TokenKind, number> = { ...usage }
  for (const kind of promptKinds) {
    within[kind] = Math.min(usage[kind], left)
    left -= within[kind]
  }
  return within
}

/**
 * An estimate within what the request allows, whatever was counted or reported before the end: its own output limit (or the
 * one that was set for a cap, or the model's) for each answer, input up to the context window, the tools that it asks for.
 * Other runs are known only from a report that is final.
 */
export const withinRequest = (
  { input: { body }, outputBound, price }: Priced,
  { details, parts: _, uses, ...evidence }: ModelEvidence
): ModelEvidence => {
  if (!isByModel(price)) return evidence
  const model = modelNamed(price, evidence.model)
  const { contextWindow = Infinity, maxOutput = contextWindow } = model ?? {}
  const limit = ownLimit(price, body) ?? outputBound ?? maxOutput
  const { usage } = evidence
  const within = {
    ...inputWithin(usage, Math.max(contextWindow, inputOf(body, model).likely)),
    output: Math.min(usage.output, limit * choicesOf(price, body))
  }
  const media = details === undefined ? undefined : detailsWithin(within, details).details
  const ran = uses === undefined ? undefined : usesWithin(uses, priceFactorsOf(price.asks, body).tools ?? [])
  return {
    ...evidence,
    usage: within,
    ...(media === undefined ? {} : { details: media }),
    ...(ran === undefined ? {} : { uses: ran })
  }
}

const usesWithin = (uses: Readonly<Record<string, number>>, tools: ReadonlyArray<RequestedTool>) => {
  const within = tools.flatMap(({ most = assumedUses, name }) => {
    const count = Object.hasOwn(uses, name) ? (uses[name] ?? 0) : 0
    return count === 0 ? [] : [[name, Math.min(count, most)] as const]
  })
  return within.length === 0 ? undefined : Object.fromEntries(within)
}
