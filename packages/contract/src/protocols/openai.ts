import type { JsonObject, OpenAnswer, Other, OtherAnswer, Word } from "../internal/JsonObject.ts"

interface ChatTextPart {
  readonly type: "text"
  readonly text: string
}

interface ChatImagePart {
  readonly type: "image_url"
  /** An address, or the image itself as a `data:` URL. */
  readonly image_url: { readonly url: string; readonly detail?: Word<"auto" | "low" | "high"> }
}

interface ChatAudioPart {
  readonly type: "input_audio"
  /** Base64. */
  readonly input_audio: { readonly data: string; readonly format: Word<"wav" | "mp3"> }
}

interface ChatFilePart {
  readonly type: "file"
  readonly file: { readonly file_data?: string; readonly file_id?: string; readonly filename?: string }
}

type ChatPart = ChatTextPart | ChatImagePart | ChatAudioPart | ChatFilePart | Other

/** The model asks the program to run a tool. The result is a message with the role `tool` and the same id. */
interface ChatToolCall {
  readonly id: string
  readonly type: "function"
  /** `arguments` is JSON, as the model wrote it. */
  readonly function: { readonly name: string; readonly arguments: string }
}

interface ChatSystemMessage {
  readonly role: "system" | "developer"
  readonly content: string | ReadonlyArray<ChatTextPart | Other>
  readonly name?: string
}

interface ChatUserMessage {
  readonly role: "user"
  readonly content: string | ReadonlyArray<ChatPart>
  readonly name?: string
}

interface ChatAssistantMessage {
  readonly role: "assistant"
  readonly content?: string | ReadonlyArray<ChatTextPart | Other> | null
  readonly tool_calls?: ReadonlyArray<ChatToolCall | Other>
  readonly refusal?: string | null
  readonly reasoning_content?: string | null
  readonly audio?: { readonly id: string } | null
  readonly name?: string
}

interface ChatToolMessage {
  readonly role: "tool"
  readonly tool_call_id: string
  readonly content: string | ReadonlyArray<ChatTextPart | Other>
}

/** The result of a function, as older models take it. */
interface ChatFunctionMessage {
  readonly role: "function"
  readonly name: string
  readonly content: string | null
}

type ChatMessage = ChatSystemMessage | ChatUserMessage | ChatAssistantMessage | ChatToolMessage | ChatFunctionMessage

export interface ChatTool {
  readonly type: "function"
  readonly function: {
    readonly name: string
    readonly description?: string
    /** A JSON Schema. */
    readonly parameters?: JsonObject
    readonly strict?: boolean | null
  }
}

export type ChatToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } }
  | Other

export type ChatResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema"
      readonly json_schema: {
        readonly name: string
        readonly description?: string
        readonly schema?: JsonObject
        readonly strict?: boolean | null
      }
    }

/** The body of a chat completion, in the OpenAI format. Other fields of a model go into `extra` of the call's options. */
export interface ChatCompletionsBody {
  readonly model: string
  readonly messages: ReadonlyArray<ChatMessage>
  readonly stream?: boolean | null
  readonly stream_options?: { readonly include_usage?: boolean; readonly include_obfuscation?: boolean } | null
  readonly max_completion_tokens?: number | null
  readonly max_tokens?: number | null
  readonly n?: number | null
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly stop?: string | ReadonlyArray<string> | null
  readonly seed?: number | null
  readonly frequency_penalty?: number | null
  readonly presence_penalty?: number | null
  readonly logit_bias?: Readonly<Record<string, number>> | null
  readonly logprobs?: boolean | null
  readonly top_logprobs?: number | null
  readonly tools?: ReadonlyArray<ChatTool | Other>
  readonly tool_choice?: ChatToolChoice
  readonly parallel_tool_calls?: boolean
  readonly response_format?: ChatResponseFormat
  readonly reasoning_effort?: Word<"none" | "minimal" | "low" | "medium" | "high" | "xhigh"> | null
  readonly verbosity?: Word<"low" | "medium" | "high"> | null
  readonly modalities?: ReadonlyArray<Word<"text" | "audio">> | null
  readonly audio?: JsonObject | null
  readonly prediction?: JsonObject | null
  readonly web_search_options?: JsonObject
  readonly service_tier?: Word<"auto" | "default" | "flex" | "priority"> | null
  readonly prompt_cache_key?: string | null
  readonly safety_identifier?: string | null
  readonly store?: boolean | null
  readonly metadata?: Readonly<Record<string, string>> | null
  readonly user?: string | null
}

/** Tokens. */
export interface ChatUsage extends OpenAnswer {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details?:
    | (OpenAnswer & {
        readonly cached_tokens?: number
        readonly audio_tokens?: number
      })
    | null
  readonly completion_tokens_details?:
    | (OpenAnswer & {
        readonly reasoning_tokens?: number
        readonly audio_tokens?: number
      })
    | null
}

export type ChatFinishReason = Word<"stop" | "length" | "tool_calls" | "content_filter">

export interface ChatAnswer extends OpenAnswer {
  readonly role: "assistant"
  /** `null` if the model only calls tools. */
  readonly content: string | null
  readonly refusal?: string | null
  readonly tool_calls?: ReadonlyArray<ChatToolCall>
  /** The reasoning, where the model shows it. */
  readonly reasoning_content?: string | null
  readonly annotations?: ReadonlyArray<OtherAnswer>
}

export interface ChatChoice extends OpenAnswer {
  readonly index: number
  readonly message: ChatAnswer
  readonly finish_reason: ChatFinishReason
  readonly logprobs?: JsonObject | null
}

/** A whole answer in the OpenAI format. Fields that are not described here are kept. */
export interface ChatCompletion extends OpenAnswer {
  readonly id: string
  readonly object: Word<"chat.completion">
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly choices: ReadonlyArray<ChatChoice>
  readonly usage?: ChatUsage
  readonly service_tier?: string | null
  readonly system_fingerprint?: string | null
}

/** A part of a tool call. Parts with the same `index` belong together: append their `arguments`. */
export interface ChatToolCallDelta extends OpenAnswer {
  readonly index: number
  readonly id?: string
  readonly type?: "function"
  readonly function?: { readonly name?: string; readonly arguments?: string; readonly [field: string]: unknown }
}

export interface ChatDelta extends OpenAnswer {
  readonly role?: string
  readonly content?: string | null
  readonly refusal?: string | null
  readonly tool_calls?: ReadonlyArray<ChatToolCallDelta>
  readonly reasoning_content?: string | null
}

export interface ChatChunkChoice extends OpenAnswer {
  readonly index: number
  readonly delta: ChatDelta
  /** `null` until the choice has ended. */
  readonly finish_reason: ChatFinishReason | null
  readonly logprobs?: JsonObject | null
}

/** One event of a stream in the OpenAI format. The last one has the `usage` and no choices. */
export interface ChatCompletionChunk extends OpenAnswer {
  readonly id: string
  readonly object: Word<"chat.completion.chunk">
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly choices: ReadonlyArray<ChatChunkChoice>
  readonly usage?: ChatUsage | null
  readonly service_tier?: string | null
  readonly system_fingerprint?: string | null
}
