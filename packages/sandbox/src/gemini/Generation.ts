import type { StreamEvent } from "../BilledAnswer.ts"
import { type Finish, gather, type Reply } from "../text/reply.ts"
import type { InputUsage } from "../text/tokens.ts"

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

/** The answer as a stream of responses. Like Gemini's, each reports the output tokens so far. */
export function* events(generation: Generation): Generator<StreamEvent> {
  let output = 0
  let thoughts = 0
  let hidden = 0
  const ends = []
  const event = (candidates: Parameters<typeof response>[1], own: number): StreamEvent => {
    const tokens = own + hidden
    hidden = 0
    output += tokens
    return { data: JSON.stringify(response(generation, candidates, { output, thoughts })), tokens }
  }
  for (const [index, { call, parts, thought }] of generation.replies.entries()) {
    thoughts += thought.tokens
    if (generation.includesThoughts) {
      for (const { text, tokens } of thought.parts)
        yield event([{ index, parts: thoughtParts(generation, text) }], tokens)
    } else hidden += thought.tokens
    if (call !== undefined) {
      const { finish, tokens } = gather(parts())
      const functionCall = { name: call.name, args: call.input }
      yield event([{ index, parts: [{ functionCall }] }], tokens)
      ends.push({ index, parts: [{ text: "" }], finish })
      continue
    }
    const written = parts()
    let next = written.next()
    for (; next.done !== true; next = written.next()) {
      const { text, tokens } = next.value
      yield event([{ index, parts: [{ text }] }], tokens)
    }
    ends.push({ index, parts: [{ text: "" }], finish: next.value })
  }
  yield { ...event(ends, 0), final: true }
}
