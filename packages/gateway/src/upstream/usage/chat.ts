import { read } from "@tollgate/contract/price/exact"
import type { ReportedUsage } from "../Protocol.ts"
import {
  countAt,
  detailsWithin,
  impossibleCounts,
  type Known,
  nameAt,
  readCounts,
  tierNamed,
  unknownFields,
  withGaps
} from "./fields.ts"
import * as Predicate from "effect/Predicate"
import type { Mutable } from "effect/Types"
import { parseCount } from "../../internal/jsonValue.ts"

const paths = {
  prompt: ["prompt_tokens"],
  completion: ["completion_tokens"],
  cached: ["prompt_tokens_details", "cached_tokens"],
  written: ["prompt_tokens_details", "cache_write_tokens"],
  reasoning: ["completion_tokens_details", "reasoning_tokens"],
  total: ["total_tokens"],
  // DeepSeek's name for the tokens read from a cache.
  hit: ["prompt_cache_hit_tokens"]
} as const

const known: Known = {
  prompt_tokens: true,
  completion_tokens: true,
  total_tokens: true,
  prompt_cache_hit_tokens: true,
  prompt_cache_miss_tokens: true,
  prompt_tokens_details: {
    cached_tokens: true,
    cache_write_tokens: true,
    text_tokens: true,
    audio_tokens: true,
    image_tokens: true,
    cached_tokens_details: { text_tokens: true, audio_tokens: true, image_tokens: true }
  },
  completion_tokens_details: {
    reasoning_tokens: true,
    text_tokens: true,
    audio_tokens: true,
    image_tokens: true,
    // Both are part of the completion, and billed as such.
    accepted_prediction_tokens: true,
    rejected_prediction_tokens: true
  }
}

/**
 * Reasoning is part of the completion, and a report on the way may count it first. Some providers count it beside the
 * completion: their total tells.
 */
const outputOf = ({ completion = 0, prompt = 0, reasoning = 0, total }: Partial<Record<keyof typeof paths, number>>) =>
  total === prompt + completion + reasoning ? completion + reasoning : Math.max(completion, reasoning)

/** More than its parts: something was used that is not told apart. */
const totalGap = ({
  completion = 0,
  prompt = 0,
  reasoning = 0,
  total = 0
}: Partial<Record<keyof typeof paths, number>>) =>
  total > prompt + Math.max(completion, reasoning) && total !== prompt + completion + reasoning
    ? "usage.total_tokens above its parts"
    : undefined

/** The names of main counts that are impossible, so that none is trusted. */
export const impossibleIn = (usage: unknown): ReadonlyArray<string> => impossibleCounts(usage, paths, "usage")

/** The usage of chat completions and embeddings. `undefined`: there is none, or a count is impossible. */
export const parseUsage = (usage: unknown): ReportedUsage | undefined => {
  const counts = readCounts(usage, paths)
  if (counts === undefined) return undefined
  const { completion, hit = 0, prompt, reasoning = 0, written = 0 } = counts
  if (prompt === undefined && completion === undefined) return undefined
  const cacheRead = Math.min(counts.cached ?? hit, prompt ?? 0)
  const cacheWrite = Math.min(written, (prompt ?? 0) - cacheRead)
  const base: Mutable<ReportedUsage> = { cacheRead, cacheWrite }
  if (prompt !== undefined) base.input = prompt - cacheRead - cacheWrite
  if (completion !== undefined) base.output = outputOf(counts)
  if (reasoning > 0) base.reasoning = reasoning
  const media = mediaIn(usage, base)
  const gaps = unknownFields(usage, known)
  const inTotal = totalGap(counts)
  return withGaps(media === undefined ? base : { ...base, ...media }, inTotal === undefined ? gaps : [inTotal, ...gaps])
}

const mediaIn = (usage: unknown, base: ReportedUsage) => {
  const prompt = read(usage, ["prompt_tokens_details"])
  const completion = read(usage, ["completion_tokens_details"])
  if (prompt === undefined && completion === undefined) return undefined
  const audioCacheRead = countAt(prompt, "cached_tokens_details", "audio_tokens")
  const imageCacheRead = countAt(prompt, "cached_tokens_details", "image_tokens")
  return detailsWithin(base, {
    audioCacheRead,
    imageCacheRead,
    audioInput: Math.max(0, countAt(prompt, "audio_tokens") - audioCacheRead),
    imageInput: Math.max(0, countAt(prompt, "image_tokens") - imageCacheRead),
    audioOutput: countAt(completion, "audio_tokens"),
    imageOutput: countAt(completion, "image_tokens")
  })
}

/** A model that searches does it once for each answer, and does not report it. */
export const searchesFor = (request: unknown): Pick<ReportedUsage, "uses"> =>
  Predicate.isObject(read(request, ["web_search_options"]))
    ? { uses: { web_search: parseCount(read(request, ["n"])) || 1 } }
    : {}

/** What is reported beside the usage: the model that answered, and the tier. */
export const servedBy = (
  model: string | undefined,
  tier: string | undefined
): Pick<ReportedUsage, "model" | "tier"> => {
  const served: Mutable<Pick<ReportedUsage, "model" | "tier">> = tierNamed(tier)
  if (model !== undefined) served.model = model
  return served
}

/** All that a whole completion reports. */
export const usageOf = (answer: unknown, request: unknown): ReportedUsage | undefined => {
  const usage = parseUsage(read(answer, ["usage"]))
  const served = servedBy(nameAt(answer, "model"), nameAt(answer, "service_tier"))
  return usage && Object.assign(usage, served, searchesFor(request))
}
