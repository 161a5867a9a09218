import type { Finish, Reply } from "../text/reply.ts"
import type { InputUsage } from "../text/usage.ts"

/** A generated answer, before it is written in the Gemini format, whole or as a stream. */
export interface Generation {
  readonly id: string
  readonly model: string
  readonly replies: ReadonlyArray<Reply>
  readonly inputUsage: InputUsage
  /** The caller wants to see what the model thinks. */
  readonly includesThoughts: boolean
  readonly hidesUsage: boolean
}

/** The output tokens so far. `output` includes `thoughts`. */
export interface OutputUsage {
  readonly output: number
  readonly thoughts: number
}

interface Candidate {
  readonly index: number
  readonly parts: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly finish?: Finish
}

const usageMetadata = ({ cacheRead, cacheWrite, input }: InputUsage, { output, thoughts }: OutputUsage) => {
  const prompt = input + cacheRead + cacheWrite
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - thoughts,
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    totalTokenCount: prompt + output,
    ...(cacheRead === 0 ? {} : { cachedContentTokenCount: cacheRead }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }]
  }
}

/** One response object; a stream has one in each event. */
export const response = (generation: Generation, candidates: ReadonlyArray<Candidate>, used: OutputUsage) => ({
  candidates: candidates.map(({ finish, index, parts }) => ({
    content: { parts, role: "model" },
    ...(finish === undefined ? {} : { finishReason: finish.reason === "length" ? "MAX_TOKENS" : "STOP" }),
    index
  })),
  ...(generation.hidesUsage ? {} : { usageMetadata: usageMetadata(generation.inputUsage, used) }),
  modelVersion: generation.model,
  responseId: generation.id
})

/** What the model thinks, if the caller wants to see it. */
export const thoughtParts = ({ includesThoughts }: Generation, text: string) =>
  includesThoughts && text !== "" ? [{ text, thought: true }] : []
