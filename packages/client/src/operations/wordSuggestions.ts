import { wordSuggestions as operation } from "@tollgate/contract/operations/wordSuggestions"
import { call } from "../call.ts"

/** Search words that a shop suggests. */
export const wordSuggestions = call(operation)
