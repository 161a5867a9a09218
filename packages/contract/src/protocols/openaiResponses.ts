import type { JsonObject, OpenAnswer, Other, Word } from "../internal/JsonObject.ts"
import type { ResponsesInputItem, ResponsesOutputItem } from "./openaiResponsesItems.ts"

export interface ResponsesFunctionTool {
  readonly type: "function"
  readonly name: string
  readonly description?: string | null
  /** A JSON Schema. */
  readonly parameters: JsonObject | null
  readonly strict?: boolean | null
}

export type ResponsesToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly name: string }
  | Other

export type ResponsesFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema"
      readonly name: string
      readonly description?: string
      readonly schema: JsonObject
      readonly strict?: boolean | null
    }

/**
 * The body of a response, in the format of OpenAI's Responses. Other fields of a model go into `extra` of the call's options.
 */
export interface ResponsesBody {
  readonly model: string
  readonly input?: string | ReadonlyArray<ResponsesInputItem>
  /** Goes on from a response that the gateway keeps. Its `instructions` are not repeated. */
  readonly previous_response_id?: string | null
  readonly instructions?: string | null
  readonly stream?: boolean | null
  readonly stream_options?: { readonly include_obfuscation?: boolean } | null
  readonly max_output_tokens?: number | null
  readonly max_tool_calls?: number | null
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly top_logprobs?: number | null
  readonly tools?: ReadonlyArray<ResponsesFunctionTool | Other>
  readonly tool_choice?: ResponsesToolChoice
  readonly parallel_tool_calls?: boolean | null
  readonly text?: {
    readonly format?: ResponsesFormat
    readonly verbosity?: Word<"low" | "medium" | "high"> | null
  }
  readonly reasoning?: {
    readonly effort?: Word<"none" | "minimal" | "low" | "medium" | "high" | "xhigh"> | null
    readonly summary?: Word<"auto" | "concise" | "detailed"> | null
  } | null
  readonly include?: ReadonlyArray<Word<"reasoning.encrypted_content" | "message.output_text.logprobs">> | null
  readonly truncation?: Word<"auto" | "disabled"> | null
  readonly service_tier?: Word<"auto" | "default" | "flex" | "priority"> | null
  readonly prompt_cache_key?: string | null
  readonly safety_identifier?: string | null
  readonly metadata?: Readonly<Record<string, string>> | null
  readonly user?: string
  /** `false`: the gateway does not keep the response. */
  readonly store?: boolean | null
}

/** Tokens. `input_tokens` includes those of the cache, `output_tokens` those of the reasoning. */
export interface ResponsesUsage extends OpenAnswer {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly total_tokens: number
  readonly input_tokens_details?:
    | (OpenAnswer & {
        readonly cached_tokens?: number
        readonly cache_write_tokens?: number
      })
    | null
  readonly output_tokens_details?: { readonly reasoning_tokens?: number; readonly [field: string]: unknown } | null
}

export type ResponsesStatus = Word<"completed" | "incomplete" | "failed" | "in_progress">

/** A whole answer in the format of OpenAI's Responses. Fields that are not described here are kept. */
export interface ResponsesResult extends OpenAnswer {
  readonly id: string
  readonly object: Word<"response">
  /** Unix seconds. */
  readonly created_at: number
  readonly status?: ResponsesStatus
  readonly model: string
  readonly output: ReadonlyArray<ResponsesOutputItem>
  readonly usage?: ResponsesUsage | null
  readonly error: { readonly code: string; readonly message: string; readonly [field: string]: unknown } | null
  /** Why the answer is not complete: `max_output_tokens` or `content_filter`. */
  readonly incomplete_details: { readonly reason?: string; readonly [field: string]: unknown } | null
}
