import { count, terms } from "../text/tokens.ts"
import { rerank as operation } from "@tollgate/contract/operations/rerank"
import { rerankV2 as operationV2 } from "@tollgate/contract/operations/rerankV2"
import type { RerankResult } from "@tollgate/contract/resources/RerankResult"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import { type BilledAnswer, type Handler, InvalidInput } from "../BilledAnswer.ts"
import { id } from "../SeededRandom.ts"
import { decode, json } from "../wire/body.ts"

const k1 = 1.2
const b = 0.75

const countWords = (text: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const term of text) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** Okapi BM25 over the given documents, scaled to 0…1 by the highest possible score. */
export const bm25 = (query: string, documents: ReadonlyArray<string>): ReadonlyArray<number> => {
  const queryTerms = new Set(terms(query))
  const texts = documents.map((document) => {
    const text = terms(document)
    return { length: text.length, counts: countWords(text) }
  })
  const meanLength = texts.reduce((sum, { length }) => sum + length, 0) / documents.length || 1
  const holding = countWords(texts.flatMap(({ counts }) => [...counts.keys()]))
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

const ranked = (query: string, documents: ReadonlyArray<string>, most: number | undefined) => {
  const scores = bm25(query, documents)
  return documents
    .map((_, index) => ({ index, relevance_score: scores[index] ?? 0 }))
    .sort((x, y) => y.relevance_score - x.relevance_score || x.index - y.index)
    .slice(0, most)
}

const documentsPerUnit = 100
const tokensPerChunk = 500

/** A unit is a hundred documents. One that is longer than a chunk, with the query, counts as several. */
const searchUnits = (query: string, documents: ReadonlyArray<string>): number => {
  const room = Math.max(1, tokensPerChunk - count(query))
  const chunks = documents.reduce((sum, text) => sum + Math.max(1, Math.ceil(count(text) / room)), 0)
  return Math.ceil(chunks / documentsPerUnit)
}

/** What Cohere's answers say about themselves. */
const meta = (version: string, query: string, documents: ReadonlyArray<string>) => ({
  api_version: { version },
  billed_units: { search_units: searchUnits(query, documents) }
})

const read = Schema.decodeUnknownEffect(operation.request.body)

const defaultModel = "rerank"

/** Ranks by BM25. The query is billed once for each document. */
export const rerank = Effect.fnUntraced(function* (
  request: HttpServerRequest
): Effect.fn.Return<BilledAnswer, InvalidInput> {
  const { documents, model, query, top_n } = yield* request.json.pipe(
    Effect.flatMap(read),
    Effect.mapError(() => new InvalidInput({ message: "query and documents are required" }))
  )
  const result: RerankResult = {
    model: model ?? defaultModel,
    results: ranked(query, documents, top_n).map((one) => ({
      ...one,
      document: { text: documents[one.index] ?? "" }
    })),
    usage: {
      total_tokens: documents.reduce((sum, text) => sum + count(text), count(query) * documents.length)
    },
    // Not part of the interface: Cohere's SDK shows it.
    meta: meta("1", query, documents)
  }
  return { operation: operation.id, body: result, billed: { tokens: result.usage.total_tokens } }
})

const readV2 = decode(operationV2.request.body)

/** Ranks by BM25, in the Cohere format. Search units are billed. */
export const rerankV2: Handler = Effect.fnUntraced(function* (request) {
  const { seed, value } = yield* json(request)
  const { documents, query, top_n } = yield* readV2(value)
  const about = meta("2", query, documents)
  return {
    operation: operationV2.id,
    body: { id: id(seed), results: ranked(query, documents, top_n ?? undefined), meta: about },
    billed: { units: about.billed_units.search_units }
  }
})
