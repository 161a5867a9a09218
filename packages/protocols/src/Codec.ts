import type { Answer, AnswerEvent, Conversation, Shape } from "./Conversation.ts"
import type { Json } from "./json.ts"
import type { Lost, LossName } from "./losses.ts"
import type { Paths } from "./settings.ts"

export interface WriteOptions {
  /** What is asked for where the protocol needs a limit and the caller has none. */
  readonly limit: number
}

/** Reads the events of one answer. */
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

/** A protocol: how it says what a `Conversation` and an `Answer` hold. */
export interface Codec {
  readonly shape: Shape
  readonly settings: Paths
  /** What it has no words for. */
  readonly cannot: ReadonlySet<LossName>
  /** Throws `Malformed`. */
  readonly readRequest: (body: Json) => Conversation
  /** The body without the model where the protocol has it in the path. */
  readonly writeRequest: (conversation: Conversation, lost: Lost, options: WriteOptions) => Json
  readonly readAnswer: (answer: Json) => Answer
  readonly writeAnswer: (answer: Answer, options: WriterOptions) => Json
  readonly reader: () => EventReader
  readonly writer: (options: WriterOptions) => EventWriter
}
