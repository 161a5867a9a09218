import { fill } from "@tollgate/contract/Names"
import { creatorInsights } from "@tollgate/contract/operations/creatorInsights"
import { tagDetail } from "@tollgate/contract/operations/tagDetail"
import { userStories } from "@tollgate/contract/operations/userStories"
import { wordSuggestions } from "@tollgate/contract/operations/wordSuggestions"
import * as Effect from "effect/Effect"
import type { Handler, InvalidInput } from "../../BilledAnswer.ts"
import * as Query from "../query.ts"
import { answer } from "./answer.ts"
import { stories, suggestions, tag, videos } from "./payloads.ts"

const maxWordLength = 200

/** `data` is null if a parameter is missing or wrong. */
const handler =
  (id: string, payload: (query: Query.Query) => Effect.Effect<unknown, InvalidInput>): Handler =>
  (request, { names }) =>
    Effect.gen(function* () {
      const query = yield* Query.of(request)
      const data = yield* payload(query).pipe(Effect.catchTag("InvalidInput", () => Effect.succeed(null)))
      return yield* answer(fill(id, names), request, query, data)
    })

// The interface does not name `offset`, `page_size`, `language`, `region` or any field of `data`; the sandbox does.
export const insights = handler(
  creatorInsights.id,
  Effect.fnUntraced(function* (query) {
    const keyword = yield* Query.required(query, "keyword", maxWordLength)
    const offset = yield* Query.count(query, "offset", 0, 1_000_000)
    return videos(keyword, offset, yield* Query.count(query, "page_size", 10, 50))
  })
)

export const words = handler(wordSuggestions.id, (query) =>
  Effect.map(Query.required(query, "search_word", maxWordLength), (word) =>
    suggestions(word, Query.optional(query, "language") ?? "en", Query.optional(query, "region") ?? "US")
  )
)

export const tags = handler(tagDetail.id, (query) => Effect.map(Query.required(query, "tag_name", maxWordLength), tag))

/** The interface names no parameter, so none is required. All parameters together select the user. */
export const userStoriesOf = handler(userStories.id, (query) =>
  Effect.succeed(stories(JSON.stringify([...query].sort(([a], [b]) => (a < b ? -1 : 1)))))
)
