import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import { postComments } from "@tollgate/contract/operations/postComments"
import { tweetQuotes } from "@tollgate/contract/operations/tweetQuotes"
import { Comment, CommentPage, CommentUser } from "@tollgate/contract/resources/Comments"
import { Tweet, TweetAuthor, TweetEntities, TweetPage } from "@tollgate/contract/resources/Tweet"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { table } from "../src/data/table.ts"
import { call, query } from "./dataAsk.ts"

const comments = (parameters: Record<string, string>) =>
  call(table["GET /apis/v1/{social_b}/post/comments"], "GET", { query: query(parameters) })

const quotes = (parameters: Record<string, string>) =>
  call(table["GET /apis/v1/{social_a}/tweet/quotes"], "GET", { query: query(parameters) })

const commentPage = Schema.decodeUnknownSync(postComments.success)
const tweetPage = Schema.decodeUnknownSync(tweetQuotes.success)

const keys = (value: object | null | undefined) => Object.keys(value ?? {}).sort()

const every = <A>(list: (cursor: string | undefined) => Effect.Effect<{ items: ReadonlyArray<A>; next?: string }>) =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<A>> = []
    let cursor: string | undefined
    do {
      const { items, next } = yield* list(cursor)
      pages.push(items)
      cursor = next
    } while (cursor !== undefined && pages.length < 10)
    return pages
  })

const allComments = (url: string) =>
  every((cursor) =>
    Effect.map(comments({ url, ...(cursor === undefined ? {} : { cursor }) }), ({ billed, body, status }) => {
      expect(status).toBe(200)
      const page = commentPage(body)
      expect(billed).toEqual({ items: page.comments.length })
      return { items: page.comments, ...(typeof page.cursor === "string" ? { next: page.cursor } : {}) }
    })
  )

const allQuotes = (tweetId: string) =>
  every((cursor) =>
    Effect.map(quotes({ tweetId, ...(cursor === undefined ? {} : { cursor }) }), ({ billed, body, status }) => {
      expect(status).toBe(200)
      expect(billed).toEqual({ requests: 1 })
      const page = tweetPage(body)
      expect(keys(page)).toEqual(keys(TweetPage.schema.fields))
      expect(page.has_next_page).toBe(page.next_cursor !== "")
      return { items: page.tweets, ...(page.has_next_page ? { next: String(page.next_cursor) } : {}) }
    })
  )

const addresses = Array.from({ length: 40 }, (_, at) => `https://posts.invalid/p/${at}`)

describe("comments of a post", () => {
  it.effect("have every field of the interface", () =>
    Effect.gen(function* () {
      const { body, operation } = yield* comments({ url: "https://posts.invalid/p/2" })
      const page = commentPage(body)
      expect(operation).toBe("social_b.post_comments")
      expect(keys(page)).toEqual(keys(CommentPage.schema.fields))
      expect(page.comments).toHaveLength(15)
      for (const comment of page.comments) {
        expect(keys(comment)).toEqual(keys(Comment.schema.fields))
        expect(keys(comment.user)).toEqual(keys(CommentUser.schema.fields))
        expect(new Date(comment.created_at ?? "").toISOString()).toBe(comment.created_at)
      }
    })
  )

  it.effect("come in pages of 15, each comment once, in order of time", () =>
    Effect.gen(function* () {
      const totals = new Set<number>()
      for (const url of addresses) {
        const pages = yield* allComments(url)
        const all = pages.flat()
        totals.add(all.length)
        expect(all.length).toBeLessThanOrEqual(60)
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(15)
        const times = all.map(({ created_at }) => created_at ?? "")
        expect(times).toEqual([...times].sort())
      }
      expect(totals.size).toBeGreaterThan(15)
    })
  )

  it.effect("the last page has no cursor", () =>
    Effect.gen(function* () {
      for (const url of addresses) {
        const { body } = yield* comments({ url })
        const page = commentPage(body)
        expect("cursor" in page).toBe((yield* allComments(url)).length > 1)
      }
    })
  )

  it.effect("are the same each time, and differ between posts", () =>
    Effect.gen(function* () {
      const [one, again, other] = [
        yield* comments({ url: "https://posts.invalid/p/2" }),
        yield* comments({ url: "https://posts.invalid/p/2", other: "x" }),
        yield* comments({ url: "https://posts.invalid/p/3" })
      ]
      expect(one).toEqual(again)
      expect(one.body).not.toEqual(other.body)
    })
  )

  it.effect("an invalid request is refused and bills nothing", () =>
    Effect.gen(function* () {
      const url = "https://posts.invalid/p/2"
      const { cursor = "" } = commentPage((yield* comments({ url })).body)
      for (const parameters of [
        {},
        { url: "" },
        { url: "x".repeat(2_049) },
        { url, cursor: "" },
        { url, cursor: "15" },
        { url, cursor: "0x0f-00000000" },
        { url, cursor: ` ${cursor}` },
        { url: "https://posts.invalid/p/3", cursor: String(cursor) }
      ]) {
        expect(yield* comments(parameters as Record<string, string>)).toMatchObject({ status: 400, billed: {} })
      }
    })
  )
})

describe("quotes of a post", () => {
  it.effect("have every field of the interface", () =>
    Effect.gen(function* () {
      const tweets = (yield* allQuotes("1900000000000000001")).flat()
      expect(tweets.length).toBeGreaterThan(20)
      for (const tweet of tweets) {
        expect(keys(tweet)).toEqual(keys(Tweet.schema.fields))
        expect(keys(tweet.author)).toEqual(keys(TweetAuthor.schema.fields))
        expect(keys(tweet.entities)).toEqual(keys(TweetEntities.schema.fields))
        for (const value of [...Object.values(tweet), ...Object.values(tweet.author ?? {})])
          expect(value).not.toBeNull()
      }
      expect((yield* quotes({ tweetId: "1" })).operation).toBe(`${defaults.social_a}.tweet_quotes`)
    })
  )

  it.effect("come in pages of 20, each post once, newest first", () =>
    Effect.gen(function* () {
      const totals = new Set<number>()
      for (let tweetId = 1; tweetId <= 40; tweetId++) {
        const pages = yield* allQuotes(String(tweetId))
        const all = pages.flat()
        totals.add(all.length)
        expect(all.length).toBeLessThanOrEqual(70)
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(20)
        const ids = all.map(({ id }) => BigInt(id))
        expect(ids).toEqual([...ids].sort((x, y) => (x < y ? 1 : -1)))
        expect(new Set(ids).size).toBe(ids.length)
        expect(all.every(({ quoted_tweet }) => quoted_tweet === String(tweetId))).toBe(true)
      }
      expect(totals.size).toBeGreaterThan(15)
    })
  )

  it.effect("an empty cursor is the first page, and another post's cursor is refused", () =>
    Effect.gen(function* () {
      const tweetId = "1900000000000000001"
      const first = yield* quotes({ tweetId })
      expect(yield* quotes({ tweetId, cursor: "" })).toEqual(first)
      const { next_cursor } = tweetPage(first.body)
      expect(next_cursor).not.toBe("")
      expect((yield* quotes({ tweetId: "2", cursor: String(next_cursor) })).status).toBe(400)
      for (const bad of [{}, { tweetId: "" }, { tweetId: "x".repeat(65) }]) {
        expect(yield* quotes(bad)).toMatchObject({ status: 400, billed: {} })
      }
    })
  )
})

describe("any post", () => {
  it.effect("has a finite number of pages", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), async (name) => {
          expect((await Effect.runPromise(allComments(name))).flat().length).toBeLessThanOrEqual(60)
          expect((await Effect.runPromise(allQuotes(name))).flat().length).toBeLessThanOrEqual(70)
        }),
        { numRuns: 30 }
      )
    )
  )
})
