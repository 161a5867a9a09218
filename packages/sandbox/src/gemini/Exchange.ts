import type { Finish, Reply } from "../text/reply.ts"
import type { Reading } from "../text/usage.ts"

/** One call in the Gemini style, ready to be answered at once or as a stream. */
export interface Exchange {
  readonly id: string
  readonly model: string
  readonly replies: ReadonlyArray<Reply>
  readonly reading: Reading
  readonly hidesUsage: boolean
}

interface Candidate {
  readonly index: number
  readonly parts: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly finish?: Finish
}

const usageMetadata = ({ cacheRead, cacheWrite, input }: Reading, output: number) => {
  const prompt = input + cacheRead + cacheWrite
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output,
    ...(cacheRead === 0 ? {} : { cachedContentTokenCount: cacheRead }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }]
  }
}

/** One response, which in a stream is one event. */
export const response = (exchange: Exchange, candidates: ReadonlyArray<Candidate>, output: number) => ({
  candidates: candidates.map(({ finish, index, parts }) => ({
    content: { parts, role: "model" },
    ...(finish === undefined ? {} : { finishReason: finish.reason === "length" ? "MAX_TOKENS" : "STOP" }),
    index
  })),
  ...(exchange.hidesUsage ? {} : { usageMetadata: usageMetadata(exchange.reading, output) }),
  modelVersion: exchange.model,
  responseId: exchange.id
})
