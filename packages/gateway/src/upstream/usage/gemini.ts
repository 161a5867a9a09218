import { read } from "@tollgate/contract/price/exact"
import { isTokenCount } from "@tollgate/contract/price/evidence"
import * as Predicate from "effect/Predicate"
import type { ReportedUsage } from "../Protocol.ts"
import {
  detailsWithin,
  impossibleCounts,
  type Known,
  nameAt,
  readCounts,
  thought,
  unknownFields,
  withGaps
} from "./fields.ts"

const paths = {
  prompt: ["promptTokenCount"],
  cached: ["cachedContentTokenCount"],
  tool: ["toolUsePromptTokenCount"],
  candidates: ["candidatesTokenCount"],
  thoughts: ["thoughtsTokenCount"]
} as const

const known: Known = {
  promptTokenCount: true,
  cachedContentTokenCount: true,
  toolUsePromptTokenCount: true,
  candidatesTokenCount: true,
  thoughtsTokenCount: true,
  totalTokenCount: true,
  promptTokensDetails: true,
  cacheTokensDetails: true,
  candidatesTokensDetails: true,
  toolUsePromptTokensDetails: true,
  trafficType: true,
  serviceTier: true
}

/** The tokens of each modality in a list of them. */
const modalities = (usage: unknown, field: string): Readonly<Record<string, number>> => {
  const list = read(usage, [field])
  const counts: Record<string, number> = {}
  if (!Array.isArray(list)) return counts
  for (const item of list) {
    const name = nameAt(item, "modality")?.toLowerCase()
    const count = read(item, ["tokenCount"])
    if (name !== undefined && isTokenCount(count)) counts[name] = (counts[name] ?? 0) + count
  }
  return counts
}

const unknownModalities = (counts: Readonly<Record<string, number>>): ReadonlyArray<string> =>
  Object.keys(counts).flatMap((name) =>
    ["text", "image", "video", "audio", "document"].includes(name) || counts[name] === 0
      ? []
      : [`usageMetadata.${name.replaceAll(/[^a-z0-9_]/g, "?").slice(0, 40)}`]
  )

/** `ON_DEMAND_FLEX` is the tier `flex`. Capacity that was bought before is billed as usual. */
const tierOf = (usage: unknown): Pick<ReportedUsage, "tier"> => {
  const traffic = /^ON_DEMAND_([A-Z]+)$/.exec(nameAt(usage, "trafficType") ?? "")?.[1]?.toLowerCase()
  const tier = traffic ?? nameAt(usage, "serviceTier")?.toLowerCase()
  return tier === undefined || tier === "standard" || tier === "unspecified" ? {} : { tier }
}

/** `undefined`: no usage, or an impossible count. */
export const parseUsage = (usage: unknown): ReportedUsage | undefined => {
  const counts = readCounts(usage, paths)
  if (counts === undefined) return undefined
  const { cached = 0, candidates, prompt, thoughts, tool = 0 } = counts
  const cacheRead = Math.min(cached, prompt ?? 0)
  const input = prompt === undefined ? undefined : prompt - cacheRead + tool
  const output = candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0)
  if (input === undefined && output === undefined) return undefined
  if (!isTokenCount(input ?? 0) || !isTokenCount(output ?? 0)) return undefined
  const base: ReportedUsage = {
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    cacheRead,
    cacheWrite: 0,
    ...thought(thoughts)
  }
  const inPrompt = modalities(usage, "promptTokensDetails")
  const inCache = modalities(usage, "cacheTokensDetails")
  const inOutput = modalities(usage, "candidatesTokensDetails")
  const inTools = modalities(usage, "toolUsePromptTokensDetails")
  const ofPrompt = (name: string) => Math.max(0, (inPrompt[name] ?? 0) - (inCache[name] ?? 0)) + (inTools[name] ?? 0)
  const media = detailsWithin(base, {
    audioInput: ofPrompt("audio"),
    imageInput: ofPrompt("image"),
    videoInput: ofPrompt("video"),
    audioCacheRead: inCache["audio"] ?? 0,
    imageCacheRead: inCache["image"] ?? 0,
    audioOutput: inOutput["audio"] ?? 0,
    imageOutput: inOutput["image"] ?? 0
  })
  const gaps = [...unknownModalities({ ...inPrompt, ...inOutput }), ...unknownFields(usage, known, "usageMetadata")]
  return withGaps({ ...base, ...media, ...tierOf(usage) }, gaps)
}

/** The names of main counts that are impossible, so that none is trusted. */
export const impossibleIn = (usage: unknown): ReadonlyArray<string> => impossibleCounts(usage, paths, "usageMetadata")

/** The different queries of searches that are not empty: each is billed once. */
export const addQueries = (found: Set<string>, queries: unknown): void => {
  if (!Array.isArray(queries)) return
  for (const query of queries) {
    if (found.size < mostQueries && typeof query === "string" && query.trim() !== "") found.add(query)
  }
}

const mostQueries = 1_000

/** What is reported beside the usage: the model that answered, searches and maps. */
export const servedBy = (
  model: string | undefined,
  queries: ReadonlySet<string>,
  usesMaps: boolean
): Pick<ReportedUsage, "model" | "uses"> => ({
  ...(model === undefined ? {} : { model }),
  ...(queries.size === 0 && !usesMaps
    ? {}
    : {
        uses: {
          ...(queries.size === 0 ? {} : { googleSearch: queries.size }),
          // A prompt that was answered from a map counts once, however many places it found.
          ...(usesMaps ? { googleMaps: 1 } : {})
        }
      })
})

/** Whether one of the sources of an answer is a place on a map. */
const isFromMap = (candidate: unknown): boolean => {
  const chunks = read(candidate, ["groundingMetadata", "groundingChunks"])
  return Array.isArray(chunks) && chunks.some((chunk) => Predicate.isObject(read(chunk, ["maps"])))
}

/** All that a whole answer reports. */
export const usageOf = (answer: unknown): ReportedUsage | undefined => {
  const usage = parseUsage(read(answer, ["usageMetadata"]))
  if (usage === undefined) return undefined
  const queries = new Set<string>()
  let usesMaps = false
  const candidates = read(answer, ["candidates"])
  if (Array.isArray(candidates)) {
    for (const candidate of candidates) {
      addQueries(queries, read(candidate, ["groundingMetadata", "webSearchQueries"]))
      usesMaps ||= isFromMap(candidate)
    }
  }
  return { ...usage, ...servedBy(nameAt(answer, "modelVersion"), queries, usesMaps) }
}
