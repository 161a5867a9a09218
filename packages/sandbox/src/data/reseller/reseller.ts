import { fill } from "@tollgate/contract/Names"
import { creatorInsights } from "@tollgate/contract/operations/creatorInsights"
import { tagDetail } from "@tollgate/contract/operations/tagDetail"
import { userStories } from "@tollgate/contract/operations/userStories"
import { wordSuggestions } from "@tollgate/contract/operations/wordSuggestions"
import * as Effect from "effect/Effect"
import type { Handler, InvalidInput } from "../../Work.ts"
import * as Query from "../query.ts"
import { answer } from "./answer.ts"
import { stories, suggestions, tag, videos } from "./payloads.ts"

/** Of a word that is searched for. */
const longest = 200

/** `null` where a parameter is missing or wrong. */
const handler =
  (id: string, payload: (query: Query.Query) => Effect.Effect<unknown, InvalidInput>): Handler =>
  (request, { names }) =>
    Effect.gen(function* () {
      const query = yield* Query.of(request)
      const data = yield* payload(query).pipe(Effect.catchTag("InvalidInput", () => Effect.succeed(null)))
      return yield* answer(fill(id, names), request, query, data)
    })

/** `offset` and `page_size` are the sandbox's own names, as are all fields of `data` here and below. */
export const insights = handler(
  creatorInsights.id,
  Effect.fnUntraced(function* (query) {
    const keyword = yield* Query.needed(query, "keyword", longest)
    const offset = yield* Query.count(query, "offset", 0, 1_000_000)
    return videos(keyword, offset, yield* Query.count(query, "page_size", 10, 50))
  })
)

/** `language` and `region` are the sandbox's own names. */
export const words = handler(wordSuggestions.id, (query) =>
  Effect.map(Query.needed(query, "search_word", longest), (word) =>
    suggestions(word, Query.one(query, "language") ?? "en", Query.one(query, "region") ?? "US")
  )
)

export const tags = handler(tagDetail.id, (query) => Effect.map(Query.needed(query, "tag_name", longest), tag))

/** No parameter is shown, so none is needed; whatever comes decides whose stories these are. */
export const userStoriesOf = handler(userStories.id, (query) =>
  Effect.succeed(stories(JSON.stringify([...query].sort(([a], [b]) => (a < b ? -1 : 1)))))
)
