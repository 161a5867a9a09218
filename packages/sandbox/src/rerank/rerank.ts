import { rerank as operation } from "@tollgate/contract/operations/rerank"
import type { RerankResult } from "@tollgate/contract/resources/RerankResult"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import { count } from "../text/tokens.ts"
import { InvalidInput, type BilledAnswer } from "../BilledAnswer.ts"
import { ranked } from "./ranked.ts"
import { meta } from "./searchUnits.ts"

const decode = Schema.decodeUnknownEffect(operation.request.body)

const defaultModel = "rerank"

/** Ranks by BM25. The query is billed once for each document. */
export const rerank = Effect.fnUntraced(function* (
  request: HttpServerRequest
): Effect.fn.Return<BilledAnswer, InvalidInput> {
  const { documents, model, query, top_n } = yield* request.json.pipe(
    Effect.flatMap(decode),
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
