import { rerankV2 as operation } from "@tollgate/contract/operations/rerankV2"
import * as Effect from "effect/Effect"
import { id } from "../text/hash.ts"
import { decode, json } from "../wire/body.ts"
import type { Handler } from "../BilledAnswer.ts"
import { ranked } from "./ranked.ts"
import { meta } from "./searchUnits.ts"

const read = decode(operation.request.body)

/** Ranks by BM25, in the Cohere format. Search units are billed. */
export const rerankV2: Handler = Effect.fnUntraced(function* (request) {
  const { seed, value } = yield* json(request)
  const { documents, query, top_n } = yield* read(value)
  const about = meta("2", query, documents)
  return {
    operation: operation.id,
    body: { id: id(seed), results: ranked(query, documents, top_n ?? undefined), meta: about },
    billed: { units: about.billed_units.search_units }
  }
})
