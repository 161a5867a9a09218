import type { Finish, Reply } from "../text/reply.ts"
import type { Reading } from "../text/usage.ts"

/** A source that an answer names. */
export interface Source {
  readonly title: string
  readonly url: string
}

/** One call in the OpenAI style, ready to be answered at once or as a stream. */
export interface Exchange {
  readonly id: string
  readonly model: string
  readonly replies: ReadonlyArray<Reply>
  readonly reading: Reading
  readonly sources: ReadonlyArray<Source>
  readonly hidesUsage: boolean
  /** In a stream, whether the caller asked for it. */
  readonly includesUsage: boolean
}

/** The sandbox has no clock: everything was made when 2026 began. */
export const created = 1_767_225_600

export const fingerprint = "fp_sandbox"

export const finishReason = ({ reason }: Finish): string =>
  reason === "call" ? "tool_calls" : reason === "length" ? "length" : "stop"

export const usage = ({ cacheRead, cacheWrite, input }: Reading, output: number) => {
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 }
  }
}

export const completionId = ({ id }: Exchange): string => `chatcmpl-${id}`

export const callId = ({ id }: Exchange, choice: number): string => `call_${id}${choice}`

/** Where sources were used, the addresses stand beside the choices as well. */
export const citations = ({ sources }: Exchange): Readonly<Record<string, unknown>> =>
  sources.length === 0 ? {} : { citations: sources.map(({ url }) => url) }

/** Where the text names each source. */
export const annotations = ({ sources }: Exchange, text: string) =>
  sources.flatMap(({ title, url }, index) => {
    const mark = `[${index + 1}]`
    const start = text.indexOf(mark)
    if (start < 0) return []
    const url_citation = { title, url, start_index: start, end_index: start + mark.length }
    return [{ type: "url_citation", url_citation }]
  })
