import { tweetQuotes as operation } from "@tollgate/contract/operations/tweetQuotes"
import { call } from "../call.ts"

/** Posts that quote a post. */
export const tweetQuotes = call(operation)
