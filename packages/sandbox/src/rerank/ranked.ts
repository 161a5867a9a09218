import { terms } from "../text/tokens.ts"

const k1 = 1.2
const b = 0.75

const count = (text: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const term of text) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** Okapi BM25 over the given documents, scaled to 0…1 by the highest possible score. */
export const bm25 = (query: string, documents: ReadonlyArray<string>): ReadonlyArray<number> => {
  const queryTerms = new Set(terms(query))
  const texts = documents.map((document) => {
    const text = terms(document)
    return { length: text.length, counts: count(text) }
  })
  const meanLength = texts.reduce((sum, { length }) => sum + length, 0) / documents.length || 1
  const holding = count(texts.flatMap(({ counts }) => [...counts.keys()]))
  const weightOf = (term: string): number => {
    const documentsWith = holding.get(term) ?? 0
    return Math.log(1 + (documents.length - documentsWith + 0.5) / (documentsWith + 0.5))
  }
  let best = 0
  for (const term of queryTerms) best += weightOf(term) * (k1 + 1)
  return texts.map(({ counts, length }) => {
    let score = 0
    for (const [term, times] of counts) {
      if (!queryTerms.has(term)) continue
      score += (weightOf(term) * times * (k1 + 1)) / (times + k1 * (1 - b + (b * length) / meanLength))
    }
    return best === 0 ? 0 : score / best
  })
}

/** The documents by their scores, the highest first. */
export const ranked = (query: string, documents: ReadonlyArray<string>, most: number | undefined) => {
  const scores = bm25(query, documents)
  return documents
    .map((_, index) => ({ index, relevance_score: scores[index] ?? 0 }))
    .sort((x, y) => y.relevance_score - x.relevance_score || x.index - y.index)
    .slice(0, most)
}
