import type { MessageBlock, MessageParam, MessageTextParam } from "./anthropicBlocks.ts"
import type { JsonObject, OpenAnswer, Other, Word } from "../internal/JsonObject.ts"

export interface MessageTool {
  readonly type?: "custom" | null
  readonly name: string
  readonly description?: string
  /** A JSON Schema. */
  readonly input_schema: JsonObject
  readonly cache_control?: JsonObject | null
  readonly strict?: boolean
}

export type MessageToolChoice =
  | { readonly type: "auto" | "any"; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: "tool"; readonly name: string; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: "none" }

export type MessageThinking =
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "disabled" }
  | Other

/** The body of a message, in the Anthropic format. Other fields of a model go into `extra` of the call's options. */
export interface MessagesBody {
  readonly model: string
  /** The most that the model may write. Models refuse a request without it, unless the call has a `maxPrice`. */
  readonly max_tokens?: number
  readonly messages: ReadonlyArray<MessageParam>
  readonly system?: string | ReadonlyArray<MessageTextParam>
  readonly stream?: boolean
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly stop_sequences?: ReadonlyArray<string>
  readonly tools?: ReadonlyArray<MessageTool | Other>
  readonly tool_choice?: MessageToolChoice
  readonly thinking?: MessageThinking
  readonly output_config?: JsonObject
  readonly output_format?: JsonObject | null
  readonly cache_control?: JsonObject | null
  readonly service_tier?: Word<"auto" | "standard_only">
  readonly metadata?: { readonly user_id?: string | null }
  readonly container?: JsonObject | string | null
  readonly mcp_servers?: ReadonlyArray<JsonObject>
  readonly context_management?: JsonObject | null
}

/** What is counted of a message: all of its body but what only its answer depends on. */
export interface CountTokensBody extends Pick<
  MessagesBody,
  | "model"
  | "messages"
  | "system"
  | "tools"
  | "tool_choice"
  | "thinking"
  | "output_config"
  | "cache_control"
  | "mcp_servers"
  | "context_management"
> {}

/** Tokens. Cache reads and writes are not included in `input_tokens`. */
export interface MessageUsage extends OpenAnswer {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
}

export type MessageStopReason = Word<
  "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "pause_turn" | "refusal" | "model_context_window_exceeded"
>

/** A whole answer in the Anthropic format. Fields that are not described here are kept. */
export interface Message extends OpenAnswer {
  readonly id: string
  readonly type: "message"
  readonly role: "assistant"
  readonly model: string
  readonly content: ReadonlyArray<MessageBlock>
  readonly stop_reason: MessageStopReason | null
  readonly stop_sequence: string | null
  readonly usage: MessageUsage
}
