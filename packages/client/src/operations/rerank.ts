import { rerank as operation } from "@tollgate/contract/operations/rerank"
import { call } from "../call.ts"

/** Orders documents by their relevance to a query. */
export const rerank = call(operation)
