import { describe, expect, it } from "@effect/vitest"
import { paginate } from "../src/workflows/page/paginate.ts"
import {
  type Options,
  postCommentsItems,
  postCommentsPages,
  tweetQuotesItems,
  tweetQuotesPages
} from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { json, respond, scripted } from "./scripted.ts"

/** Answers each query with `page`. `asked` returns the queries. */
const serving = (page: (query: URLSearchParams) => object, options?: Partial<Options>) => {
  const { layer, sent } = scripted(
    (request, url, signal) => respond(200, JSON.stringify(page(url.searchParams)), json)(request, url, signal),
    options
  )
  return { layer, asked: () => sent.map(({ url }) => url.search.slice(1)) }
}

/** Three pages of three. */
const quotes = (query: URLSearchParams) => {
  const at = Number(query.get("cursor") ?? 0)
  return {
    tweets: [0, 1, 2].map((i) => ({ id: String(at * 3 + i) })),
    has_next_page: at < 2,
    next_cursor: String(at + 1)
  }
}

const ids = Stream.map(({ id }: { readonly id?: unknown }) => id)

describe("pages of quotes", () => {
  it.effect("follow the cursor to the end", () =>
    Effect.gen(function* () {
      const { asked, layer } = serving(quotes)
      const all = yield* tweetQuotesItems({ tweetId: "7" }).pipe(ids, Stream.runCollect, Effect.provide(layer))
      expect(all).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8"])
      expect(asked()).toEqual(["tweetId=7", "tweetId=7&cursor=1", "tweetId=7&cursor=2"])
    })
  )

  it.effect.each([
    [2, 1],
    [3, 1],
    [4, 2]
  ] as const)("are asked for when needed: %s items", ([items, pages]) =>
    Effect.gen(function* () {
      const { asked, layer } = serving(quotes)
      yield* tweetQuotesItems({ tweetId: "7" }).pipe(Stream.take(items), Stream.runDrain, Effect.provide(layer))
      expect(asked()).toHaveLength(pages)
    })
  )

  it.effect("go on from a cursor", () =>
    Effect.gen(function* () {
      const { asked, layer } = serving(quotes)
      const pages = tweetQuotesPages({ tweetId: "7", cursor: "1" })
      expect(yield* Effect.provide(Stream.runCollect(pages), layer)).toHaveLength(2)
      expect(asked()).toEqual(["tweetId=7&cursor=1", "tweetId=7&cursor=2"])
    })
  )

  it.effect("without items are skipped", () =>
    Effect.gen(function* () {
      const { layer } = serving((query) => ({
        tweets: query.has("cursor") ? [{ id: "1" }] : [],
        has_next_page: !query.has("cursor"),
        next_cursor: "a"
      }))
      expect(yield* Effect.provide(Stream.runCollect(tweetQuotesItems({ tweetId: "7" })), layer)).toHaveLength(1)
    })
  )

  it.effect.each([
    [["a"], "a", 2],
    [["a", "b"], "a", 3],
    [[""], "", 1],
    [[null], "", 1]
  ] as const)("that lead nowhere are an error, after all that was there: %j", ([cursors, cursor, pages]) =>
    Effect.gen(function* () {
      let at = 0
      const { asked, layer } = serving(() => ({
        tweets: [{ id: "1" }],
        has_next_page: true,
        next_cursor: cursors[at++ % cursors.length]
      }))
      const seen: Array<unknown> = []
      const error = yield* tweetQuotesItems({ tweetId: "7" }).pipe(
        Stream.runForEach((tweet) => Effect.sync(() => seen.push(tweet))),
        Effect.flip,
        Effect.provide(layer)
      )
      expect(error).toMatchObject({ _tag: "PagingStuck", cursor, pages })
      expect([seen.length, asked().length]).toEqual([pages, pages])
    })
  )

  it.effect("fail as the operation does", () =>
    Effect.gen(function* () {
      const { layer } = scripted(respond(401, "{}", json))
      const error = yield* Effect.flip(Effect.provide(Stream.runDrain(tweetQuotesPages({ tweetId: "7" })), layer))
      expect(error._tag).toBe("Unauthenticated")
    })
  )

  it.effect("start from the first page for each reader", () =>
    Effect.gen(function* () {
      const { layer } = serving(quotes)
      const pages = tweetQuotesPages({ tweetId: "7" })
      for (const _ of [1, 2]) expect(yield* Effect.provide(Stream.runCollect(pages), layer)).toHaveLength(3)
    })
  )
})

describe("pages of comments", () => {
  const comments = (query: URLSearchParams) => {
    const at = Number(query.get("after") ?? 0)
    const comments = [{ id: `${at}a` }, { id: `${at}b` }]
    return { success: true, comments, ...[{ cursor: "1" }, { cursor: "2" }, { cursor: "" }][at] }
  }
  const bindings = { "social_b.post_comments": { parameters: { cursor: "after" } } }

  it.effect("send the cursor under its bound name", () =>
    Effect.gen(function* () {
      const { asked, layer } = serving(comments, { bindings })
      const all = yield* postCommentsItems({ url: "u" }).pipe(ids, Stream.runCollect, Effect.provide(layer))
      expect(all).toEqual(["0a", "0b", "1a", "1b", "2a", "2b"])
      expect(asked()).toEqual(["url=u", "url=u&after=1", "url=u&after=2"])
    })
  )

  it.effect.each([[undefined], [null]] as const)("end where the cursor is %s", ([cursor]) =>
    Effect.gen(function* () {
      const { layer } = serving(() => ({ success: true, comments: [], cursor }), { bindings })
      expect(yield* Effect.provide(Stream.runCollect(postCommentsPages({ url: "u" })), layer)).toHaveLength(1)
    })
  )

  it.effect("are not requested while the cursor's name is pending", () =>
    Effect.gen(function* () {
      const { asked, layer } = serving(comments)
      const error = yield* Effect.flip(Effect.provide(Stream.runDrain(postCommentsPages({ url: "u" })), layer))
      expect(error).toMatchObject({ _tag: "InputInvalid", operation: "social_b.post_comments" })
      expect(error.message).toContain(`bindings: { "social_b.post_comments": { parameters: { cursor: "…" } } }`)
      expect(asked()).toEqual([])
    })
  )
})

describe("pages of anything", () => {
  it.effect("are requested only as they are read", () =>
    Effect.gen(function* () {
      let calls = 0
      const pages = paginate((cursor) => Effect.sync(() => ({ cursor, call: ++calls })), {
        next: ({ call }) => String(call),
        items: (page) => [page]
      })
      const seen = yield* pages.pipe(
        Stream.map(({ call }) => [call, calls]),
        Stream.take(3),
        Stream.runCollect
      )
      expect(seen).toEqual([
        [1, 1],
        [2, 2],
        [3, 3]
      ])
      expect(calls).toBe(3)
    })
  )
})
