import { read } from "@tollgate/contract/price/exact"
import { priceFactorsOf } from "@tollgate/contract/price/PriceFactors"
import type { ReportedUsage } from "../Protocol.ts"
import {
  countAt,
  detailsWithin,
  impossibleCounts,
  type Known,
  nameAt,
  readCounts,
  tierNamed,
  thought,
  unknownFields,
  withGaps
} from "./fields.ts"

const paths = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cached: ["input_tokens_details", "cached_tokens"],
  written: ["input_tokens_details", "cache_write_tokens"],
  reasoning: ["output_tokens_details", "reasoning_tokens"]
} as const

const known: Known = {
  input_tokens: true,
  output_tokens: true,
  total_tokens: true,
  input_tokens_details: {
    cached_tokens: true,
    cache_write_tokens: true,
    cache_write_tokens_details: { ttl_30m_tokens: true, ttl_12h_tokens: true },
    text_tokens: true,
    audio_tokens: true,
    image_tokens: true
  },
  output_tokens_details: { reasoning_tokens: true, text_tokens: true, audio_tokens: true, image_tokens: true }
}

/** The names of main counts that are impossible, so that none is trusted. */
export const impossibleIn = (usage: unknown): ReadonlyArray<string> => impossibleCounts(usage, paths, "usage")

/** `undefined`: no usage, or an impossible count. */
export const parseUsage = (usage: unknown): ReportedUsage | undefined => {
  const counts = readCounts(usage, paths)
  if (counts === undefined) return undefined
  const { cached = 0, input, output, reasoning = 0, written = 0 } = counts
  if (input === undefined && output === undefined) return undefined
  const inputDetails = read(usage, ["input_tokens_details"])
  const outputDetails = read(usage, ["output_tokens_details"])
  // The input includes what was read from a cache and written to it.
  const cacheRead = Math.min(cached, input ?? 0)
  const cacheWrite = Math.min(written, (input ?? 0) - cacheRead)
  const base: ReportedUsage = {
    ...(input === undefined ? {} : { input: input - cacheRead - cacheWrite }),
    ...(output === undefined ? {} : { output: Math.max(output, reasoning) }),
    cacheRead,
    cacheWrite,
    ...thought(reasoning)
  }
  const details = detailsWithin(base, {
    cacheWriteLong: countAt(inputDetails, "cache_write_tokens_details", "ttl_12h_tokens"),
    audioInput: countAt(inputDetails, "audio_tokens"),
    imageInput: countAt(inputDetails, "image_tokens"),
    audioOutput: countAt(outputDetails, "audio_tokens"),
    imageOutput: countAt(outputDetails, "image_tokens")
  })
  return withGaps({ ...base, ...details }, unknownFields(usage, known))
}

const serverTools = new Set(["file_search", "code_interpreter", "image_generation", "mcp"])

const searches = "web_search"
const preview = "web_search_preview"

/** The tool that an item of the output is a use of. A search that only opens a page is none. */
export const toolOf = (type: unknown, action: unknown): string | undefined => {
  if (typeof type !== "string" || !type.endsWith("_call")) return undefined
  const tool = type.slice(0, -"_call".length)
  if (tool === searches) return action === undefined || action === "search" ? tool : undefined
  return serverTools.has(tool) ? tool : undefined
}

/** How often the upstream's tools ran. */
export const toolUses = (response: unknown): Pick<ReportedUsage, "uses" | "gaps"> => {
  const uses: Record<string, number> = {}
  const output = read(response, ["output"])
  if (Array.isArray(output)) {
    for (const item of output) {
      const tool = toolOf(read(item, ["type"]), read(item, ["action", "type"]))
      if (tool !== undefined) uses[tool] = (uses[tool] ?? 0) + 1
    }
  }
  return withReported(uses, read(response, ["tool_usage"]))
}

/** `tool_usage` has what is billed of searches; without it, those that were counted are. */
export const withReported = (
  counted: Readonly<Record<string, number>>,
  usage: unknown
): Pick<ReportedUsage, "uses" | "gaps"> => {
  const uses = { ...counted }
  const reported = read(usage, [searches, "num_requests"])
  if (reported !== undefined) uses[searches] = countAt(usage, searches, "num_requests")
  if (uses[searches] === 0) delete uses[searches]
  const gaps = unknownFields(usage, { [searches]: { num_requests: true } }, "tool_usage")
  return {
    ...(Object.keys(uses).length === 0 ? {} : { uses }),
    ...(gaps.length === 0 ? {} : { gaps })
  }
}

/** A preview of the search has another rate and is reported under the search's name: what was asked for tells which it was. */
export const searchedAs = <A extends Pick<ReportedUsage, "uses">>(request: unknown, used: A): A => {
  const { [searches]: count, ...uses } = used.uses ?? {}
  if (count === undefined) return used
  const asked = new Set(priceFactorsOf("responses", request).tools?.map(({ name }) => name))
  return asked.has(preview) && !asked.has(searches) ? { ...used, uses: { ...uses, [preview]: count } } : used
}

/** All that a response reports. */
export const usageOf = (response: unknown, request: unknown): ReportedUsage | undefined => {
  const usage = parseUsage(read(response, ["usage"]))
  if (usage === undefined) return undefined
  const { gaps = [], ...uses } = searchedAs(request, toolUses(response))
  const model = nameAt(response, "model")
  const served = { ...(model === undefined ? {} : { model }), ...tierNamed(nameAt(response, "service_tier")) }
  return withGaps({ ...usage, ...served, ...uses }, gaps)
}
