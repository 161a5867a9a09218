import { fill } from "@tollgate/contract/Names"
import { tweetQuotes as operation } from "@tollgate/contract/operations/tweetQuotes"
import { Tweet, type TweetPage } from "@tollgate/contract/resources/Tweet"
import * as Effect from "effect/Effect"
import { type Handler, InvalidInput } from "../BilledAnswer.ts"
import * as Query from "./query.ts"
import { page } from "./query.ts"
import { person, sentence } from "./people.ts"
import { seededRandom } from "../SeededRandom.ts"
import { inventWhole } from "../text/invent.ts"

/** A post id contains the time above its lowest 22 bits, so that later posts have higher ids. */
const idAt = (millis: number, low: number): string =>
  ((BigInt(millis - 1_288_834_974_657) << 22n) + BigInt(low)).toString()

/** The post at index `at` of those that quote another, newest first. */
const tweet = (quoted: string, at: number): Tweet => {
  const random = seededRandom("quote", quoted, at)
  const newest = seededRandom("quoted", quoted).int(Date.UTC(2025, 6, 1), Date.UTC(2025, 11, 1))
  const written = newest - at * 1_800_000 - random.int(0, 1_799_999)
  const id = idAt(written, random.int(0, 2 ** 22 - 1))
  const { handle, id: author, name, picture } = person(random)
  const text = sentence(random)
  const url = `https://posts.sandbox.invalid/${handle}`
  const invented = inventWhole(Tweet, id)
  return {
    ...invented,
    id,
    url: `${url}/status/${id}`,
    text,
    createdAt: new Date(written).toISOString(),
    isReply: false,
    conversationId: id,
    displayTextRange: [0, text.length],
    author: { ...invented.author, id: author, name, userName: handle, url, profilePicture: picture },
    entities: { hashtags: [], urls: [], user_mentions: [] },
    quoted_tweet: quoted
  }
}

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
