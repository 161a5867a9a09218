import { rerank as operation } from "@tollgate/contract/operations/rerank"
import { rerankV2 as operationV2 } from "@tollgate/contract/operations/rerankV2"
import type { RerankResult } from "@tollgate/contract/resources/RerankResult"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import { type BilledAnswer, type Handler, InvalidInput } from "../BilledAnswer.ts"
import { id } from "../text/hash.ts"
import { count } from "../text/tokens.ts"
import { decode, json } from "../wire/body.ts"
import { ranked } from "./ranked.ts"

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
