import type { Json } from "./Conversation.ts"
import { count, list, object } from "./parts.ts"

const isVector = (value: unknown): value is Array<number> => Array.isArray(value)

/** The vectors of an answer of `embeddings`, in the order of the texts. */
export const vectorsOf = (answer: unknown) => {
  const { data, usage } = answer as Json
  const sorted = list(data).toSorted((a, b) => Number(a["index"] ?? 0) - Number(b["index"] ?? 0))
  return {
    vectors: sorted.map(({ embedding }) => (isVector(embedding) ? embedding : [])),
    tokens: count(object(usage)["prompt_tokens"])
  }
}
