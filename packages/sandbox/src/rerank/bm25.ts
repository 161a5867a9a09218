import { terms } from "./tokens.ts"

const k1 = 1.2
const b = 0.75

/** Okapi BM25 over the documents given, scaled to 0…1 by the best score a document could have had. */
export const bm25 = (query: string, documents: ReadonlyArray<string>): ReadonlyArray<number> => {
  const asked = [...new Set(terms(query))]
  const texts = documents.map(terms)
  const meanLength = texts.reduce((sum, text) => sum + text.length, 0) / documents.length || 1
  const weights = new Map(
    asked.map((term) => {
      const holding = texts.filter((text) => text.includes(term)).length
      return [term, Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5))]
    })
  )
  const best = [...weights.values()].reduce((sum, weight) => sum + weight * (k1 + 1), 0)
  return texts.map((text) => {
    let score = 0
    for (const [term, weight] of weights) {
      const count = text.reduce((sum, word) => (word === term ? sum + 1 : sum), 0)
      if (count > 0) score += (weight * count * (k1 + 1)) / (count + k1 * (1 - b + (b * text.length) / meanLength))
    }
    return best === 0 ? 0 : score / best
  })
}
