import type { OpenAnswer, Word } from "../internal/JsonObject.ts"
import type { ChatUsage } from "./openai.ts"

/** The body of a completion in OpenAI's old format. Other fields of a model go into `extra` of the call's options. */
export interface CompletionsBody {
  readonly model: string
  /** One text or several, or their tokens as numbers. Each is completed. */
  readonly prompt?: string | ReadonlyArray<string> | ReadonlyArray<number> | ReadonlyArray<ReadonlyArray<number>>
  readonly suffix?: string | null
  readonly max_tokens?: number | null
  readonly n?: number | null
  readonly best_of?: number | null
  readonly stream?: boolean | null
  readonly stream_options?: { readonly include_usage?: boolean } | null
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly stop?: string | ReadonlyArray<string> | null
  readonly echo?: boolean | null
  readonly logprobs?: number | null
  readonly seed?: number | null
  readonly frequency_penalty?: number | null
  readonly presence_penalty?: number | null
  readonly logit_bias?: Readonly<Record<string, number>> | null
  readonly user?: string
}

/** A completion in OpenAI's old format, or one event of its stream. Fields that are not described here are kept. */
export interface Completion extends OpenAnswer {
  readonly id: string
  readonly object: Word<"text_completion">
  readonly created: number
  readonly model: string
  readonly choices: ReadonlyArray<
    OpenAnswer & {
      readonly text: string
      readonly index: number
      readonly finish_reason: Word<"stop" | "length" | "content_filter"> | null
    }
  >
  /** Tokens. */
  readonly usage?: ChatUsage | null
}
