import { listOr, objectOr, textOr } from "../json.ts"
import { countAt, usageTable } from "../usage.ts"

/** The tokens of a modality in one of the lists. */
const tokens = (list: string, modality: string) => (report: unknown) =>
  listOr(objectOr(report)[list]).reduce(
    (sum, item) => (textOr(item["modality"]).toLowerCase() === modality ? sum + countAt(item, "tokenCount") : sum),
    0
  )

const ofPrompt = (modality: string) => {
  const [prompt, cached, tools] = ["promptTokensDetails", "cacheTokensDetails", "toolUsePromptTokensDetails"].map(
    (list) => tokens(list, modality)
  )
  return (report: unknown) => Math.max(0, (prompt?.(report) ?? 0) - (cached?.(report) ?? 0)) + (tools?.(report) ?? 0)
}

const modalities = new Set(["text", "image", "video", "audio", "document"])

export const generateContentUsage = usageTable({
  at: "usageMetadata",
  answer: { model: ["modelVersion"] },
  counts: {
    input: "promptTokenCount",
    output: "candidatesTokenCount",
    cacheRead: "cachedContentTokenCount",
    reasoning: "thoughtsTokenCount",
    tools: "toolUsePromptTokenCount"
  },
  isCacheInInput: true,
  isReasoningApart: true,
  parts: {
    audioInput: ofPrompt("audio"),
    imageInput: ofPrompt("image"),
    videoInput: ofPrompt("video"),
    audioCacheRead: tokens("cacheTokensDetails", "audio"),
    imageCacheRead: tokens("cacheTokensDetails", "image"),
    audioOutput: tokens("candidatesTokensDetails", "audio"),
    imageOutput: tokens("candidatesTokensDetails", "image")
  },
  service: {
    // `ON_DEMAND_FLEX` is the tier `flex`. Capacity that was bought before is billed as usual.
    tier: (report) => {
      const { serviceTier, trafficType } = objectOr(report)
      return /^ON_DEMAND_([A-Z]+)$/.exec(textOr(trafficType))?.[1] ?? textOr(serviceTier)
    }
  },
  others: [
    "totalTokenCount",
    "promptTokensDetails",
    "cacheTokensDetails",
    "candidatesTokensDetails",
    "toolUsePromptTokensDetails",
    "trafficType",
    "serviceTier"
  ],
  unknown: (report) => {
    const { candidatesTokensDetails: output, promptTokensDetails: prompt } = objectOr(report)
    const names = [...listOr(prompt), ...listOr(output)].map((item) =>
      countAt(item, "tokenCount") === 0 ? "" : textOr(item["modality"]).toLowerCase()
    )
    return names.filter((name) => name !== "" && !modalities.has(name))
  }
})
