import type { Other, Word } from "../internal/JsonObject.ts"

export interface ChatTextPart {
  readonly type: "text"
  readonly text: string
}

export interface ChatImagePart {
  readonly type: "image_url"
  /** An address, or the image itself as a `data:` URL. */
  readonly image_url: { readonly url: string; readonly detail?: Word<"auto" | "low" | "high"> }
}

export interface ChatAudioPart {
  readonly type: "input_audio"
  /** Base64. */
  readonly input_audio: { readonly data: string; readonly format: Word<"wav" | "mp3"> }
}

export interface ChatFilePart {
  readonly type: "file"
  readonly file: { readonly file_data?: string; readonly file_id?: string; readonly filename?: string }
}

export type ChatPart = ChatTextPart | ChatImagePart | ChatAudioPart | ChatFilePart | Other

/** The model asks the program to run a tool. The result is a message with the role `tool` and the same id. */
export interface ChatToolCall {
  readonly id: string
  readonly type: "function"
  /** `arguments` is JSON, as the model wrote it. */
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface ChatSystemMessage {
  readonly role: "system" | "developer"
  readonly content: string | ReadonlyArray<ChatTextPart | Other>
  readonly name?: string
}

export interface ChatUserMessage {
  readonly role: "user"
  readonly content: string | ReadonlyArray<ChatPart>
  readonly name?: string
}

export interface ChatAssistantMessage {
  readonly role: "assistant"
  readonly content?: string | ReadonlyArray<ChatTextPart | Other> | null
  readonly tool_calls?: ReadonlyArray<ChatToolCall | Other>
  readonly refusal?: string | null
  readonly reasoning_content?: string | null
  readonly audio?: { readonly id: string } | null
  readonly name?: string
}

export interface ChatToolMessage {
  readonly role: "tool"
  readonly tool_call_id: string
  readonly content: string | ReadonlyArray<ChatTextPart | Other>
}

/** A message of text only. Its role may be any text, so that messages from a variable or a store fit. */
export interface ChatTextMessage {
  readonly role: Word<"system" | "developer" | "user" | "assistant">
  readonly content: string
  readonly name?: string
}

/** The result of a function, as older models take it. */
export interface ChatFunctionMessage {
  readonly role: "function"
  readonly name: string
  readonly content: string | null
}

export type ChatMessage =
  | ChatTextMessage
  | ChatSystemMessage
  | ChatUserMessage
  | ChatAssistantMessage
  | ChatToolMessage
  | ChatFunctionMessage
