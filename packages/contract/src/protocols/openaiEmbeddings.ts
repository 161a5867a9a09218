import type { OpenAnswer, Word } from "../internal/JsonObject.ts"

/** One vector. Fields that are not described here are kept. */
export interface Embedding extends OpenAnswer {
  readonly object: Word<"embedding">
  /** The position in the request's `input`. */
  readonly index: number
  /** A request that asks for base64 in `extra` of the call's options gets a string instead. */
  readonly embedding: ReadonlyArray<number>
}

/** The vectors of a request, in the OpenAI format. */
export interface EmbeddingList extends OpenAnswer {
  readonly object: Word<"list">
  readonly data: ReadonlyArray<Embedding>
  readonly model: string
  /** Tokens. */
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number; readonly [field: string]: unknown }
}
