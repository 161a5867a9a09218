import { fill } from "@tollgate/contract/Names"
import { tweetQuotes as operation } from "@tollgate/contract/operations/tweetQuotes"
import type { Tweet, TweetPage } from "@tollgate/contract/resources/Tweet"
import * as Effect from "effect/Effect"
import { type Handler, InvalidInput } from "../BilledAnswer.ts"
import * as Query from "./query.ts"
import { page } from "./query.ts"
import { person, sentence } from "./people.ts"
import { seededRandom, type SeededRandom } from "./SeededRandom.ts"

const tags = ["photography", "travel", "opensource", "weekend", "coffee"] as const

/** A post id contains the time above its lowest 22 bits, so that later posts have higher ids. */
const idAt = (millis: number, low: number): string =>
  ((BigInt(millis - 1_288_834_974_657) << 22n) + BigInt(low)).toString()

const authorOf = (random: SeededRandom) => {
  const { handle, id, name, picture, place } = person(random)
  return {
    type: "user",
    userName: handle,
    url: `https://posts.sandbox.invalid/${handle}`,
    id,
    name,
    isBlueVerified: random.chance(0.2),
    verifiedType: "",
    profilePicture: picture,
    coverPicture: `https://pictures.sandbox.invalid/${id}-cover.jpg`,
    description: `${sentence(random)} This profile is invented.`,
    location: place,
    followers: random.int(3, 20_000),
    following: random.int(1, 2_000),
    canDm: random.chance(0.4),
    createdAt: new Date(random.int(Date.UTC(2010, 0, 1), Date.UTC(2024, 0, 1))).toISOString(),
    favouritesCount: random.int(0, 30_000),
    hasCustomTimelines: random.chance(0.3),
    isTranslator: random.chance(0.02),
    mediaCount: random.int(0, 900),
    statusesCount: random.int(1, 40_000),
    withheldInCountries: [],
    pinnedTweetIds: random.chance(0.3) ? [random.digits(19)] : [],
    possiblySensitive: false,
    isAutomated: false,
    automatedBy: "",
    unavailable: false,
    message: "",
    unavailableReason: ""
  }
}

/** The text, and the positions of its entities. */
const textOf = (random: SeededRandom) => {
  let text = sentence(random)
  const add = (more: string): [number, number] => {
    const start = text.length + 1
    text += ` ${more}`
    return [start, text.length]
  }
  const mentioned = random.chance(0.3) ? person(random) : undefined
  if (mentioned !== undefined) add(`@${mentioned.handle}`)
  const hashtags = random.chance(0.5) ? [random.pick(tags)].map((tag) => ({ indices: add(`#${tag}`), text: tag })) : []
  const urls = random.chance(0.3)
    ? [random.digits(6)].map((page) => {
        const url = `https://s.invalid/${page}`
        return {
          display_url: `stories.invalid/${page}`,
          expanded_url: `https://stories.invalid/${page}`,
          indices: add(url),
          url
        }
      })
    : []
  const user_mentions =
    mentioned === undefined ? [] : [{ id_str: mentioned.id, name: mentioned.name, screen_name: mentioned.handle }]
  return { text, entities: { hashtags, urls, user_mentions } }
}

/** The post at index `at` of those that quote another, newest first. */
const tweet = (quoted: string, at: number): Tweet => {
  const random = seededRandom("quote", quoted, at)
  const newest = seededRandom("quoted", quoted).int(Date.UTC(2025, 6, 1), Date.UTC(2025, 11, 1))
  const written = newest - at * 1_800_000 - random.int(0, 1_799_999)
  const id = idAt(written, random.int(0, 2 ** 22 - 1))
  const author = authorOf(random)
  const { entities, text } = textOf(random)
  const answered = random.chance(0.15) ? person(random) : undefined
  const before = answered === undefined ? "" : idAt(written - 600_000, random.int(0, 2 ** 22 - 1))
  const likeCount = random.int(0, 900)
  return {
    type: "tweet",
    id,
    url: `${author.url}/status/${id}`,
    text,
    source: random.pick(["Web", "Phone", "Tablet"]),
    retweetCount: random.int(0, likeCount),
    replyCount: random.int(0, 60),
    likeCount,
    quoteCount: random.int(0, 20),
    viewCount: likeCount * random.int(20, 90) + random.int(1, 50),
    createdAt: new Date(written).toISOString(),
    lang: "en",
    bookmarkCount: random.int(0, 90),
    isReply: answered !== undefined,
    inReplyToId: before,
    conversationId: before || id,
    inReplyToUserId: answered?.id ?? "",
    inReplyToUsername: answered?.handle ?? "",
    displayTextRange: [0, text.length],
    author,
    entities,
    quoted_tweet: quoted,
    retweeted_tweet: "",
    isLimitedReply: random.chance(0.05)
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
