import type { Input } from "@tollgate/contract/Operation"
import { embeddings as operation } from "@tollgate/contract/operations/embeddings"
import type { EmbeddingList } from "@tollgate/contract/protocols/openaiEmbeddings"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface EmbeddingsInput extends Input<typeof operation> {
  /** One text or several, or their tokens as numbers. */
  readonly input: string | ReadonlyArray<string> | ReadonlyArray<number> | ReadonlyArray<ReadonlyArray<number>>
  /** How many numbers a vector has, if the model can make shorter ones. */
  readonly dimensions?: number | null
  readonly encoding_format?: "float" | null
}

export type EmbeddingsError = Listed<CallError<typeof operation>>

/**
 * Turns texts into vectors, in the OpenAI style. Texts that mean similar things get vectors that are near each other.
 *
 * @example
 * const { data } = yield* embeddings({ model: "sandbox", input: ["The Nile is a river.", "Everest is a mountain."] })
 */
export const embeddings: (
  input: EmbeddingsInput,
  options?: CallOptions
) => Effect.Effect<EmbeddingList, EmbeddingsError, Client> = /* @__PURE__ */ call(operation)
