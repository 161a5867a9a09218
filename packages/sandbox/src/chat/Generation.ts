import type { Finish, Reply } from "../text/reply.ts"
import type { InputUsage } from "../text/tokens.ts"

/** A source that an answer cites. */
export interface Source {
  readonly title: string
  readonly url: string
}

/** A generated answer, before it is written in the OpenAI format, whole or as a stream. */
export interface Generation {
  readonly id: string
  readonly model: string
  readonly replies: ReadonlyArray<Reply>
  readonly inputUsage: InputUsage
  readonly sources: ReadonlyArray<Source>
  /** How many alternatives each token's log probability has. `undefined`: the caller did not ask for any. */
  readonly logprobs: number | undefined
  readonly hidesUsage: boolean
  /** Whether the caller of a stream asked for usage. */
  readonly includesUsage: boolean
}

/** A fixed time, so that the same request gets the same answer. */
export const created = 1_767_225_600

export const fingerprint = "fp_sandbox"

export const finishReason = ({ reason }: Finish): string =>
  reason === "call" ? "tool_calls" : reason === "length" ? "length" : "stop"

/** `output` includes the tokens of the reasoning. */
export const usage = ({ inputUsage: { cacheRead, cacheWrite, input }, replies }: Generation, output: number) => {
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: replies.reduce((sum, { thought }) => sum + thought.tokens, 0),
      audio_tokens: 0
    }
  }
}

export const completionId = ({ id }: Generation): string => `chatcmpl-${id}`

export const callId = ({ id }: Generation, choice: number): string => `call_${id}${choice}`

/** The URLs of the sources, if there are any. */
export const citations = ({ sources }: Generation): Readonly<Record<string, unknown>> =>
  sources.length === 0 ? {} : { citations: sources.map(({ url }) => url) }

/** The positions at which the text cites each source. */
export const annotations = ({ sources }: Generation, text: string) =>
  sources.flatMap(({ title, url }, index) => {
    const mark = `[${index + 1}]`
    const start = text.indexOf(mark)
    if (start < 0) return []
    const url_citation = { title, url, start_index: start, end_index: start + mark.length }
    return [{ type: "url_citation", url_citation }]
  })
