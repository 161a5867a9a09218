/** A JSON object of a protocol. */
export type Json = Readonly<Record<string, unknown>>

export interface TextPart {
  readonly type: "text"
  readonly text: string
}

/** A picture, a sound or a document. */
export interface FilePart {
  readonly type: "file"
  /** Complete, such as `image/png`. */
  readonly mediaType: string
  readonly name?: string | undefined
  readonly data: { readonly base64: string } | { readonly url: string } | { readonly text: string }
}

/** What proves to the model that a thought is its own. Without it, Anthropic refuses the thought. */
export type Proof = { readonly signature: string } | { readonly redacted: string }

export interface ReasoningPart {
  readonly type: "reasoning"
  readonly text: string
  readonly proof?: Proof | undefined
}

/** A tool that the model asks for. */
export interface ToolCallPart {
  readonly type: "call"
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
}

export interface ToolResult {
  readonly id: string
  readonly content: ReadonlyArray<TextPart | FilePart>
  readonly isError: boolean
}

export type AnswerPart = TextPart | ReasoningPart | ToolCallPart

export type Message =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly parts: ReadonlyArray<TextPart | FilePart> }
  | { readonly role: "assistant"; readonly parts: ReadonlyArray<AnswerPart> }
  | { readonly role: "tool"; readonly results: ReadonlyArray<ToolResult> }

export interface Tool {
  readonly name: string
  readonly description?: string | undefined
  readonly schema: Json
  readonly strict?: boolean | undefined
}

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max"

/** What a model is asked, independent of the protocol. */
export interface Conversation {
  readonly model: string
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<Tool> | undefined
  readonly toolChoice?: "auto" | "none" | "required" | { readonly name: string } | undefined
  /** JSON as the answer, of a schema if there is one. */
  readonly format?:
    | {
        readonly name?: string | undefined
        readonly description?: string | undefined
        readonly schema?: Json | undefined
      }
    | undefined
  readonly effort?: Effort | undefined
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly seed?: number | undefined
  readonly stop?: ReadonlyArray<string> | undefined
}

/** A setting that the protocol does not have. The call is made without it. */
export interface Ignored {
  readonly setting: keyof Conversation
  readonly why?: string
}

export interface Written {
  /** The input of the client's function. */
  readonly input: Json
  readonly ignored: ReadonlyArray<Ignored>
}

export type Finish = "stop" | "length" | "content-filter" | "tool-calls" | "pause" | "error" | "other"

/** Tokens, as far as they are known. */
export interface Tokens {
  readonly input: number | undefined
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
  readonly output: number | undefined
  /** The part of `output` that is thought. */
  readonly reasoning: number | undefined
  /** As the protocol reports it. */
  readonly raw: Json | undefined
}

/** A part of an answer as it arrives. */
export type Delta =
  | { readonly type: "response"; readonly id?: string; readonly model?: string; readonly seconds?: number }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "text-end"; readonly id: string }
  | { readonly type: "reasoning-start"; readonly id: string }
  | { readonly type: "reasoning-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "reasoning-end"; readonly id: string; readonly proof?: Proof | undefined }
  | { readonly type: "tool-start"; readonly id: string; readonly name: string }
  | { readonly type: "tool-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "tool-end"; readonly id: string }
  /** The whole of a tool that the model asks for, after its `tool-end`. */
  | ToolCallPart

export interface Ending {
  readonly finish: Finish
  /** As the protocol says it. */
  readonly reason: string | undefined
  readonly tokens: Tokens
}

/** Reads the events of one answer. */
export interface Reader {
  readonly next: (event: Json) => ReadonlyArray<Delta>
  /** Closes what is open. */
  readonly close: () => ReadonlyArray<Delta>
  readonly ending: () => Ending
}

/** How a protocol writes a conversation and reads an answer. */
export interface Protocol {
  /** Throws `Unsupported` for what it cannot express, so that nothing is sent. */
  readonly write: (conversation: Conversation) => Written
  /** The events that would have brought a whole answer. */
  readonly eventsOf: (answer: Json) => ReadonlyArray<Json>
  readonly reader: () => Reader
}

/** The conversation has a part that the protocol cannot express. Nothing was sent. */
export class Unsupported extends Error {
  readonly feature: string

  constructor(feature: string) {
    super(`This protocol cannot send ${feature}`)
    this.name = "Unsupported"
    this.feature = feature
  }
}
