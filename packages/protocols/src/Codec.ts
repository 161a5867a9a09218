import type { Answer, AnswerEvent, Conversation, Shape, UpstreamShape } from "./Conversation.ts"
import type { Json } from "./json.ts"
import type { Lost, LossName } from "./losses.ts"
import type { Paths } from "./settings.ts"

export interface WriteOptions {
  /** What is asked for where the protocol needs a limit and the caller has none. */
  readonly limit: number
  /** The upstream's name for the model. Default: that of the conversation. */
  readonly model?: string
}

export interface EventReader {
  readonly next: (event: Json) => ReadonlyArray<AnswerEvent>
}

export interface WriterOptions {
  /** Unix seconds. */
  readonly created: number
  /** The caller asked for a report of the usage, where the protocol lets it choose. */
  readonly wantsUsage: boolean
  /** The caller takes one array instead of events, where the protocol lets it choose. */
  readonly isArray: boolean
}

/** Writes the events of one answer, as text. */
export interface EventWriter {
  readonly next: (event: AnswerEvent) => string
}

/** A protocol of upstreams: how it asks for what a `Conversation` holds, and how it answers. */
export interface UpstreamCodec {
  readonly shape: UpstreamShape
  readonly settings: Paths
  /** What it has no words for. */
  readonly cannot: ReadonlySet<LossName>
  /** The body without the model where the protocol has it in the path. */
  readonly writeRequest: (conversation: Conversation, lost: Lost, options: WriteOptions) => Json
  readonly readAnswer: (answer: Json) => Answer
  readonly reader: () => EventReader
}

/** A protocol that callers speak too. */
export interface Codec extends UpstreamCodec {
  readonly shape: Shape
  /** Throws `Malformed`. */
  readonly readRequest: (body: Json) => Conversation
  readonly writeAnswer: (answer: Answer, options: WriterOptions) => Json
  readonly writer: (options: WriterOptions) => EventWriter
}
