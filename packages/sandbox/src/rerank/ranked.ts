import { bm25 } from "./bm25.ts"

/** The documents by their scores, the highest first. */
export const ranked = (query: string, documents: ReadonlyArray<string>, most: number | undefined) => {
  const scores = bm25(query, documents)
  return documents
    .map((_, index) => ({ index, relevance_score: scores[index] ?? 0 }))
    .sort((x, y) => y.relevance_score - x.relevance_score || x.index - y.index)
    .slice(0, most)
}
