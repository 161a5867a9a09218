import { fill } from "@tollgate/contract/Names"
import { tweetQuotes as operation } from "@tollgate/contract/operations/tweetQuotes"
import type { TweetPage } from "@tollgate/contract/resources/Tweet"
import * as Effect from "effect/Effect"
import { InvalidInput, type Handler } from "../BilledAnswer.ts"
import { page } from "./cursor.ts"
import { seededRandom } from "./SeededRandom.ts"
import * as Query from "./query.ts"
import { tweet } from "./tweet.ts"

const size = 20

/** Up to 70 quotes, depending on the post's id. An empty cursor is the first page. */
export const quotes: Handler = Effect.fnUntraced(function* (request, { names }) {
  const query = yield* Query.of(request)
  const id = yield* Query.required(query, "tweetId", 64)
  const here = page(`quotes ${id}`, seededRandom("quotes", id).int(0, 70), size, Query.optional(query, "cursor"))
  if (here === undefined) return yield* new InvalidInput({ message: "cursor is not valid for this post" })
  const body: TweetPage = {
    tweets: Array.from({ length: here.to - here.from }, (_, at) => tweet(id, here.from + at)),
    has_next_page: here.next !== undefined,
    next_cursor: here.next ?? "",
    status: "success",
    message: "success"
  }
  return { operation: fill(operation.id, names), body, billed: { requests: 1 } }
})
