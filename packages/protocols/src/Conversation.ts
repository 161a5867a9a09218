import type { Json } from "./json.ts"

/** The protocols of language models. */
export const shapes = ["chat", "responses", "messages", "generateContent"] as const
export type Shape = (typeof shapes)[number]
/** Those of upstreams. Nobody calls the gateway in the words of Bedrock. */
export type UpstreamShape = Shape | "converse"

/** Whose files and signatures are whose. */
export type Maker = "openai" | "anthropic" | "google" | "amazon"

/** What only its maker can read: a signature, or reasoning that is encrypted. */
export interface Sealed {
  readonly by: Maker
  readonly data: string
}

export interface TextPart {
  readonly type: "text"
  readonly text: string
  /** The prompt is kept up to here: Anthropic's `cache_control`. */
  readonly cache?: Json
}

export type Source =
  | { readonly base64: string }
  | { readonly url: string }
  | { readonly text: string }
  | { readonly id: string; readonly by: Maker }

/** A picture, a sound or a document. */
export interface FilePart {
  readonly type: "file"
  /** Complete, or only its first part where no more is known: `image`, `image/png`. */
  readonly mediaType: string
  readonly source: Source
  readonly name?: string | undefined
  readonly detail?: string | undefined
  readonly cache?: Json
}

export interface ReasoningPart {
  readonly type: "reasoning"
  readonly text: string
  readonly sealed?: Sealed | undefined
  /** OpenAI's id of the item. */
  readonly id?: string | undefined
}

/** A tool that the model asks for. */
export interface CallPart {
  readonly type: "call"
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
  readonly sealed?: Sealed | undefined
  readonly cache?: Json
}

export interface ResultPart {
  readonly type: "result"
  /** Of the call. */
  readonly id: string
  readonly parts: ReadonlyArray<TextPart | FilePart | OwnPart>
  readonly isError?: boolean
  readonly cache?: Json
}

export interface RefusalPart {
  readonly type: "refusal"
  readonly text: string
}

/** What only one protocol has. */
export interface OwnPart {
  readonly type: "own"
  readonly shape: Shape
  readonly value: Json
}

export type UserPart = TextPart | FilePart | ResultPart | OwnPart
export type AnswerPart = TextPart | ReasoningPart | CallPart | RefusalPart | OwnPart

export type Message =
  /** An instruction after the first turn. Those before it are in `system`. */
  | { readonly role: "system"; readonly parts: ReadonlyArray<TextPart> }
  | { readonly role: "user"; readonly parts: ReadonlyArray<UserPart> }
  | { readonly role: "assistant"; readonly parts: ReadonlyArray<AnswerPart> }

export interface Tool {
  readonly name: string
  readonly description?: string | undefined
  /** A JSON Schema. */
  readonly parameters?: Json | undefined
  readonly strict?: boolean | undefined
  readonly cache?: Json | undefined
}

export interface Reasoning {
  readonly isOff?: boolean
  /** The words of OpenAI. */
  readonly effort?: string | undefined
  /** The most tokens of it. */
  readonly budget?: number | undefined
  /** The model decides how much. */
  readonly isAdaptive?: boolean
  readonly isShown?: boolean
}

export type Format =
  | { readonly type: "json" }
  | {
      readonly type: "schema"
      readonly name?: string | undefined
      readonly description?: string | undefined
      readonly schema: Json
      readonly strict?: boolean | undefined
    }

/** Values that stand in one field, with the same meaning in every protocol that has it. */
export interface Settings {
  readonly limit?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  readonly seed?: number
  readonly verbosity?: string
  readonly tier?: string
  readonly user?: string
  readonly metadata?: Json
  readonly cacheKey?: string
  readonly safetyIdentifier?: string
}

/** What a model is asked, in no protocol's words. */
export interface Conversation extends Settings {
  readonly model: string
  readonly system: ReadonlyArray<TextPart>
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<Tool>
  readonly toolChoice?: "auto" | "none" | "required" | { readonly name: string }
  /** False: one tool at a time. */
  readonly isParallel?: boolean
  readonly stop?: ReadonlyArray<string>
  readonly format?: Format
  readonly reasoning?: Reasoning
  readonly isStream: boolean
  /** Fields, tools and parts of the protocol in which it was written, by their names, that have no place above. */
  readonly own: ReadonlyArray<string>
}

export type Finish = "stop" | "length" | "calls" | "filter" | "sequence" | "other"

/** Tokens. `input` is without those of the cache, `output` with those of the reasoning. */
export interface Usage {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly reasoning?: number | undefined
}

export interface Ending {
  readonly finish: Finish
  /** In the words of the upstream. */
  readonly reason: string
  /** Which of the texts of `stop` it was. */
  readonly sequence?: string | undefined
}

/** A whole answer, in no protocol's words. */
export interface Answer extends Ending {
  readonly id: string
  readonly model: string
  readonly parts: ReadonlyArray<AnswerPart>
  readonly usage: Usage
}

/** An answer while it arrives. One part is open at a time. */
export type AnswerEvent =
  | { readonly type: "start"; readonly id: string; readonly model: string }
  | { readonly type: "open"; readonly part: "text" | "reasoning" | "refusal" }
  | {
      readonly type: "open"
      readonly part: "call"
      readonly id: string
      readonly name: string
      readonly sealed?: Sealed | undefined
    }
  /** Adds to the open part; to the arguments of a call. */
  | { readonly type: "more"; readonly text: string }
  /** Signs the open reasoning. */
  | { readonly type: "sealed"; readonly sealed: Sealed }
  | { readonly type: "close" }
  | { readonly type: "usage"; readonly usage: Usage }
  | ({ readonly type: "finish" } & Ending)
  /** The protocol's own last event. */
  | { readonly type: "end" }
  | { readonly type: "error"; readonly message: string; readonly code?: string | undefined }
