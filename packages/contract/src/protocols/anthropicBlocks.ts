import type { JsonObject, OpenAnswer, Other, OtherAnswer, Word } from "../internal/JsonObject.ts"

/** `cache_control`: the prompt up to this part is kept for later calls. */
interface Cached {
  readonly cache_control?: JsonObject | null
}

export interface MessageTextParam extends Cached {
  readonly type: "text"
  readonly text: string
  readonly citations?: unknown
}

export interface MessageImageParam extends Cached {
  readonly type: "image"
  readonly source:
    | {
        readonly type: "base64"
        readonly media_type: Word<"image/jpeg" | "image/png" | "image/gif" | "image/webp">
        readonly data: string
      }
    | { readonly type: "url"; readonly url: string }
    | Other
}

export interface MessageToolUseParam extends Cached {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface MessageToolResultParam extends Cached {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content?: string | ReadonlyArray<MessageTextParam | MessageImageParam | Other>
  readonly is_error?: boolean
}

/** A part of a message that is sent. The answer's `content` can be sent back as it is. */
export type MessagePart =
  | MessageTextParam
  | MessageImageParam
  | MessageToolUseParam
  | MessageToolResultParam
  | MessageThinkingBlock
  | MessageRedactedThinkingBlock
  | Other

export interface MessageParam {
  readonly role: "user" | "assistant" | "system"
  readonly content: string | ReadonlyArray<MessagePart>
}

export interface MessageTextBlock extends OpenAnswer {
  readonly type: "text"
  readonly text: string
  readonly citations?: ReadonlyArray<OtherAnswer> | null
}

/** The model's reasoning. Send it back unchanged with the results of tools. */
export interface MessageThinkingBlock extends OpenAnswer {
  readonly type: "thinking"
  readonly thinking: string
  readonly signature: string
}

export interface MessageRedactedThinkingBlock extends OpenAnswer {
  readonly type: "redacted_thinking"
  readonly data: string
}

/** The model asks the program to run a tool. The result is a part `tool_result` with the same id. */
export interface MessageToolUseBlock extends OpenAnswer {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** A tool that the provider runs itself. */
export interface MessageServerToolUseBlock extends OpenAnswer {
  readonly type: "server_tool_use"
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface MessageWebSearchResultBlock extends OpenAnswer {
  readonly type: "web_search_tool_result"
  readonly tool_use_id: string
  readonly content: unknown
}

/** A part of an answer. Models may send other types too. */
export type MessageBlock =
  | MessageTextBlock
  | MessageThinkingBlock
  | MessageRedactedThinkingBlock
  | MessageToolUseBlock
  | MessageServerToolUseBlock
  | MessageWebSearchResultBlock
