/** A rerank request, and the upstream's response. */
export const path = "/v1/rerank"
export const key = "tg_00000000000000000000000000000000s858ht0"
export const adminToken = "bench-operator"

const documents = Array.from(
  { length: 10 },
  (_, i) => `Document ${i} speaks of rivers, mountains and the sea, at about the length of a search result's snippet.`
)

export const question = JSON.stringify({ model: "rerank", query: "which river is the longest?", documents })

export const answer = JSON.stringify({
  model: "rerank",
  results: documents.map((text, index) => ({ index, relevance_score: 1 - index / 10, document: { text } })),
  usage: { total_tokens: 250 }
})
