import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { emptyMemory, Memory } from "../src/data/Memory.ts"
import { table } from "../src/data/table.ts"
import { call, query, type Asked } from "./dataAsk.ts"

const prefix = "/apis/v1/{reseller}"

const routes = {
  insights: [`${prefix}/{social_c}/app/v3/fetch_creator_search_insights_videos`, "keyword"],
  words: [`${prefix}/{social_c}/shop/web/fetch_search_word_suggestion_v2`, "search_word"],
  tags: [`${prefix}/{social_c}/web/fetch_tag_detail`, "tag_name"],
  stories: [`${prefix}/{social_b}/v2/fetch_user_stories`, undefined]
} as const

type Route = keyof typeof routes

const ask = (route: Route, parameters: Record<string, string>, more: Asked = {}) =>
  call(table[`GET ${routes[route][0]}`], "GET", { query: query(parameters), path: "/apis/v1/shop/x/y", ...more })

const envelope = Schema.decodeUnknownSync(ResellerEnvelope)

const good: ReadonlyArray<readonly [Route, Record<string, string>]> = [
  ["insights", { keyword: "tea" }],
  ["words", { search_word: "tea" }],
  ["tags", { tag_name: "tea" }],
  ["stories", {}],
  ["stories", { username: "ada", __proto__x: "1" }]
]

const names = Object.keys(ResellerEnvelope.schema.fields).sort()

const data = (body: unknown) => envelope(body).data as Record<string, unknown>

describe("a reseller's answer", () => {
  it.effect("has a complete envelope and bills one request", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 15, 4, 5, 6, 789))
      for (const [route, parameters] of good) {
        const { billed, body, status } = yield* ask(route, parameters, { headers: { host: "127.0.0.1:8080" } })
        expect(status).toBe(200)
        expect(billed).toEqual({ requests: 1 })
        expect(Object.keys(envelope(body)).sort()).toEqual(names)
        expect(body).toMatchObject({
          code: 200,
          time: "2026-11-15 04:05:06",
          time_stamp: Date.UTC(2026, 10, 15, 4, 5, 6) / 1_000,
          time_zone: "UTC",
          router: "/apis/v1/shop/x/y",
          params: parameters,
          cache_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/apis\/v1\/shop\/cache\/[0-9a-f]{16}$/),
          cache_message: expect.stringContaining("24 hours"),
          cache_message_zh: expect.stringContaining("24小时")
        })
        expect(data(body)).not.toBeNull()
      }
    })
  )

  it.effect("has a cache_url at the caller's host if that is valid", () =>
    Effect.gen(function* () {
      const found = (host: string) =>
        Effect.map(ask("tags", { tag_name: "tea" }, { headers: { host } }), ({ body }) =>
          String(envelope(body).cache_url).replace(/\/apis.*/, "")
        )
      for (const host of ["127.0.0.1:80", "gateway.test", "[::1]:8787"])
        expect(yield* found(host)).toBe(`http://${host}`)
      for (const host of ["a b", "a/b", "x@y", "a:b", '"', "[", "x".repeat(256)]) {
        expect(yield* found(host)).toBe("http://sandbox.invalid")
      }
    })
  )

  it.effect("is billed under the operation id with the gateway's names", () =>
    Effect.gen(function* () {
      const renamed = { ...defaults, reseller: "shop", social_c: "clips" }
      const { operation } = yield* ask("tags", { tag_name: "tea" }, { names: renamed })
      expect(operation).toBe("shop.clips.tag_detail")
    })
  )

  it.effect("is a 200 with the code 400 for an invalid parameter, and bills nothing", () =>
    Effect.gen(function* () {
      for (const [route, parameters] of [
        ["insights", {}],
        ["insights", { keyword: "" }],
        ["insights", { keyword: "tea", offset: "-1" }],
        ["insights", { keyword: "tea", page_size: "ten" }],
        ["words", { keyword: "tea" }],
        ["tags", {}],
        ["tags", { tag_name: "x".repeat(201) }]
      ] as const) {
        const { billed, body, status } = yield* ask(route, parameters)
        expect(status).toBe(200)
        expect(billed).toEqual({})
        expect(Object.keys(envelope(body)).sort()).toEqual(names)
        expect(body).toMatchObject({
          code: 400,
          data: null,
          cache_message: null,
          cache_message_zh: null,
          cache_url: ""
        })
      }
    })
  )

  it.effect("has data that depends only on the parameters", () =>
    Effect.gen(function* () {
      for (const [route, parameters] of good) {
        const before = data((yield* ask(route, parameters)).body)
        yield* TestClock.adjust("1 day")
        expect(data((yield* ask(route, parameters)).body)).toEqual(before)
      }
      const ofTea = data((yield* ask("tags", { tag_name: "tea" })).body)
      expect(data((yield* ask("tags", { tag_name: "Tea" })).body)).not.toEqual(ofTea)
    })
  )

  it.effect("lists each video once over all pages", () =>
    Effect.gen(function* () {
      const ids: Array<unknown> = []
      let more = true
      for (let offset = 0; more && offset < 100; offset += 7) {
        const page = data((yield* ask("insights", { keyword: "tea", offset: String(offset), page_size: "7" })).body)
        ids.push(...(page["videos"] as ReadonlyArray<{ id: string }>).map(({ id }) => id))
        more = page["has_more"] === true
        expect(page["total"]).toBeGreaterThan(7)
        if (!more) expect(ids).toHaveLength(Number(page["total"]))
      }
      expect(more).toBe(false)
      expect(new Set(ids).size).toBe(ids.length)
      const all = data((yield* ask("insights", { keyword: "tea", page_size: "999" })).body)
      expect((all["videos"] as ReadonlyArray<unknown>).length).toBe(Math.min(50, ids.length))
      expect(data((yield* ask("insights", { keyword: "tea", offset: "999999999" })).body)["videos"]).toEqual([])
    })
  )

  it.effect("lists stories that depend on the parameters but not on their order", () =>
    Effect.gen(function* () {
      const one = data((yield* ask("stories", { a: "1", b: "2" })).body)
      expect(data((yield* ask("stories", { b: "2", a: "1" })).body)).toEqual(one)
      expect(data((yield* ask("stories", { a: "2", b: "1" })).body)).not.toEqual(one)
    })
  )
})

describe("a reseller's cache", () => {
  const cache = (url: unknown) =>
    call(table[`GET ${prefix}/cache/{id}`], "GET", { parameters: { id: String(url).split("/").at(-1) ?? "" } })

  it.effect("returns the same answer for 24 hours and bills nothing", () =>
    Effect.gen(function* () {
      const { body } = yield* ask("tags", { tag_name: "tea" })
      const other = yield* ask("tags", { tag_name: "tea" })
      const { cache_url } = envelope(body)
      expect(envelope(other.body).cache_url).not.toBe(cache_url)
      expect(cache_url).toMatch(/^http:\/\/sandbox\.invalid\//)
      yield* TestClock.adjust(86_399_999)
      expect(yield* cache(cache_url)).toMatchObject({ status: 200, body, billed: {} })
      yield* TestClock.adjust(1)
      expect(yield* cache(cache_url)).toMatchObject({ status: 404 })
      for (const id of ["", "__proto__", "constructor", "..", "%"]) expect((yield* cache(id)).status).toBe(404)
    })
  )

  it.effect("is limited in size", () =>
    Effect.gen(function* () {
      const memory = yield* Memory
      for (let i = 0; i < 510; i++) yield* ask("tags", { tag_name: String(i) })
      expect(memory.cached.size).toBe(500)
    }).pipe(Effect.provideService(Memory, emptyMemory()))
  )
})
