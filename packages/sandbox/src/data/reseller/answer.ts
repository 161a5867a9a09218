import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import * as Timestamp from "@tollgate/contract/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { InvalidInput, type BilledAnswer, refusedWith } from "../../BilledAnswer.ts"
import { check } from "../SeededRandom.ts"
import { Memory, remember } from "../Memory.ts"
import { originOf, type Query } from "../query.ts"

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
export const answer = Effect.fnUntraced(function* (
  operation: string,
  request: HttpServerRequest,
  query: Query,
  data: unknown
): Effect.fn.Return<BilledAnswer> {
  const memory = yield* Memory
  const now = yield* Clock.currentTimeMillis
  const router = request.url.split(/[?#]/, 1)[0] ?? ""
  const id = `${check(`${now} ${request.url}`)}${check(String(++memory.count))}`
  const ok = data !== null
  const [message, message_zh] = messages[ok ? 200 : 400]
  const origin = originOf(request)
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

/** Answers requests to a `cache_url`. */
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
