import * as Timestamp from "@tollgate/contract/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { fill } from "@tollgate/contract/Names"
import { creatorInsights } from "@tollgate/contract/operations/creatorInsights"
import { tagDetail } from "@tollgate/contract/operations/tagDetail"
import { userStories } from "@tollgate/contract/operations/userStories"
import { wordSuggestions } from "@tollgate/contract/operations/wordSuggestions"
import { type BilledAnswer, type Handler, InvalidInput, refusedWith } from "../../BilledAnswer.ts"
import { check, seededRandom } from "../../SeededRandom.ts"
import { Memory, remember } from "../Memory.ts"
import * as Query from "../query.ts"
import { person, sentence } from "../people.ts"

const day = 86_400_000

const mostCached = 500

const messages = {
  200: ["Request successful. This request is billed.", "请求成功，本次请求将计费。"],
  400: [
    "Request failed. A parameter is missing or wrong. This request is not billed.",
    "请求失败，参数缺失或有误，不计费。"
  ]
} as const

const cacheMessages = [
  "This response is kept for 24 hours at cache_url, to be read at no extra cost, for request tracing only.",
  "此响应在 cache_url 保留24小时，可免费读取，仅用于请求追踪。"
] as const

/** The reseller's envelope. If `data` is null, the answer is a 200 whose body has the code 400, and costs nothing. */
const answer = Effect.fnUntraced(function* (
  operation: string,
  request: HttpServerRequest,
  query: Query.Query,
  data: unknown
): Effect.fn.Return<BilledAnswer> {
  const memory = yield* Memory
  const now = yield* Clock.currentTimeMillis
  const router = request.url.split(/[?#]/, 1)[0] ?? ""
  const id = `${check(`${now} ${request.url}`)}${check(String(++memory.count))}`
  const ok = data !== null
  const [message, message_zh] = messages[ok ? 200 : 400]
  const origin = Query.originOf(request)
  const body: ResellerEnvelope = {
    code: ok ? 200 : 400,
    request_id: id,
    message,
    message_zh,
    support: "The sandbox has no support.",
    time: Timestamp.format(now).slice(0, 19),
    time_stamp: Math.floor(now / 1_000),
    time_zone: "UTC",
    docs: `${origin}/docs/${encodeURIComponent(operation)}`,
    cache_message: ok ? cacheMessages[0] : null,
    cache_message_zh: ok ? cacheMessages[1] : null,
    cache_url: ok ? `${origin}${router.split("/", 4).join("/")}/cache/${id}` : "",
    router,
    params: Object.fromEntries(query),
    data
  }
  if (ok) remember(memory.cached, id, { body, until: now + day }, mostCached)
  return { operation, body, billed: ok ? { requests: 1 } : {} }
})

export const cached = Effect.fnUntraced(function* (
  id: string | undefined
): Effect.fn.Return<BilledAnswer, InvalidInput> {
  const found = (yield* Memory).cached.get(id ?? "")
  const now = yield* Clock.currentTimeMillis
  if (found === undefined || found.until <= now) {
    return yield* refusedWith(404, "not_found", "no such cached answer, or it has expired")
  }
  return { operation: "cache", body: found.body, billed: {} }
})

const video = (keyword: string, at: number) => {
  const from = seededRandom("insight", keyword, at)
  const author = person(from)
  const id = from.digits(19)
  return {
    id,
    description: `${sentence(from)} #${keyword}`,
    create_time: from.int(1_735_689_600, 1_764_547_200),
    author: { id: author.id, unique_id: author.handle, nickname: author.name },
    statistics: { play_count: from.int(500, 900_000) }
  }
}

/** Up to 80 videos for a keyword. */
const videos = (keyword: string, offset: number, size: number) => {
  const total = seededRandom("insights", keyword).int(0, 80)
  const length = Math.max(0, Math.min(size, total - offset))
  return {
    keyword,
    total,
    offset,
    has_more: offset + length < total,
    videos: Array.from({ length }, (_, at) => video(keyword, offset + at))
  }
}

const endings = ["for beginners", "on sale", "near me", "gift", "small", "under 20", "reviews", "handmade"] as const

const suggestions = (word: string, language: string, region: string) => {
  const from = seededRandom("suggest", word, language, region)
  return {
    search_word: word,
    language,
    region,
    suggestions: endings
      .map((ending) => ({ word: `${word} ${ending}`, score: from.int(1, 1_000) }))
      .filter(() => from.chance(0.8))
      .sort((x, y) => y.score - x.score)
  }
}

const tag = (name: string) => {
  const from = seededRandom("tag", name)
  return { tag_id: from.digits(12), tag_name: name, video_count: from.int(10, 2_000_000) }
}

/** Up to 12 stories. */
const stories = (user: string) => {
  const from = seededRandom("stories", user)
  const { handle, id, name, picture } = person(from)
  return {
    user: { id, username: handle, full_name: name, profile_pic_url: picture },
    items: Array.from({ length: from.int(0, 12) }, () => {
      const story = from.digits(19)
      return { id: story, url: `https://pictures.sandbox.invalid/${story}` }
    })
  }
}

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
