import { describe, expect, it } from "@effect/vitest"
import { call, rerank } from "@tollgate/client"
import { defaults } from "@tollgate/contract/Names"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import { usage } from "@tollgate/contract/operations/usage"
import { userStories } from "@tollgate/contract/operations/userStories"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { credential, json, question, ranking, respond, scripted } from "./scripted.ts"

const sentBy = Effect.fnUntraced(function* <A, E>(
  effect: Effect.Effect<A, E, import("@tollgate/client").Client>,
  options: Parameters<typeof scripted>[1] = {}
) {
  const { layer, sent } = scripted(respond(200, JSON.stringify(ranking), json), options)
  const exit = yield* Effect.exit(effect.pipe(Effect.provide(layer)))
  return { exit, sent, first: sent[0] }
})

describe("the address", () => {
  it.effect.each([
    ["http://gateway.invalid", "http://gateway.invalid/v1/rerank"],
    ["http://gateway.invalid/", "http://gateway.invalid/v1/rerank"],
    ["http://gateway.invalid///", "http://gateway.invalid/v1/rerank"],
    ["https://gateway.invalid:8443/behind/proxy/", "https://gateway.invalid:8443/behind/proxy/v1/rerank"],
    ["http://[::1]:8787", "http://[::1]:8787/v1/rerank"],
    ["http://me:p@ss@gateway.invalid/at@path", "http://gateway.invalid/at@path/v1/rerank"]
  ])("%s", ([baseUrl, expected]) =>
    Effect.map(sentBy(rerank(question), { baseUrl: baseUrl! }), ({ first }) => expect(first?.url.href).toBe(expected))
  )

  it.effect.each(["gateway.invalid", "", "/api", "ftp://gateway.invalid", "http://", "http://a b", "http://a/?q=1#x"])(
    "%j is refused as a base address, and nothing is sent",
    (baseUrl) =>
      Effect.map(sentBy(rerank(question), { baseUrl }), ({ exit, sent }) => {
        expect(sent).toEqual([])
        expect(String(exit)).toContain("baseUrl must be http:// or https://")
      })
  )

  it.effect("a path parameter stays inside its segment", () =>
    Effect.gen(function* () {
      for (const [id, expected] of [
        ["task-1", "task-1"],
        ["../../admin", "..%2F..%2Fadmin"],
        ["a?b=c", "a%3Fb%3Dc"],
        ["a#b", "a%23b"],
        ["a b+c", "a%20b%2Bc"],
        ["€/%2F", "%E2%82%AC%2F%252F"],
        ["$&{task_id}$1", "%24%26%7Btask_id%7D%241"],
        ["...", "..."]
      ] as const) {
        const { first } = yield* sentBy(call(taskGet)({ task_id: id }))
        expect(first?.url.href).toBe(`http://gateway.invalid/apis/v1/services/aigc/tasks/${expected}`)
      }
    })
  )

  it.effect("a path parameter that would change the path is refused, and nothing is sent", () =>
    Effect.gen(function* () {
      for (const id of ["", ".", "..", "\ud800"]) {
        const { exit, sent } = yield* sentBy(call(taskGet)({ task_id: id }))
        expect(exit, JSON.stringify(id)).toMatchObject({
          _tag: "Failure",
          cause: { reasons: [{ _tag: "Fail", error: { _tag: "InputInvalid", outcome: "not executed" } }] }
        })
        expect(sent).toEqual([])
      }
    })
  )

  it.effect("any path parameter survives encoding and the gateway's decoding", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (id) => {
          fc.pre(id.isWellFormed() && !/^\.{1,2}$/.test(id))
          const { first } = await Effect.runPromise(sentBy(call(taskGet)({ task_id: id })))
          const segments = first?.url.pathname.split("/") ?? []
          expect(segments).toHaveLength(7)
          expect(decodeURIComponent(segments[6]!)).toBe(id)
          expect(first?.url.search).toBe("")
        })
      )
    )
  )

  it.effect("query parameters are encoded and missing ones left out", () =>
    Effect.gen(function* () {
      const { first } = yield* sentBy(call(usage)({ start_time: 1 }))
      expect(first?.url.href).toBe("http://gateway.invalid/v1/usage?start_time=1")
      const any = yield* sentBy(call(userStories)({ "a b": "c&d=e#f", ü: "1" }))
      expect([...(any.first?.url.searchParams ?? [])]).toEqual([
        ["a b", "c&d=e#f"],
        ["ü", "1"]
      ])
    })
  )

  it.effect("names change paths and headers", () =>
    Effect.gen(function* () {
      const names = { ...defaults, provider: "Acme", reseller: "shop", social_b: "pics" }
      const stories = yield* sentBy(call(userStories)({}), { names })
      expect(stories.first?.url.pathname).toBe("/apis/v1/shop/pics/v2/fetch_user_stories")
      const video = yield* sentBy(call(videoCreate)({ model: "m", input: { prompt: "p" } }), { names })
      expect(video.first?.request.headers).toMatchObject({ "x-acme-async": "enable" })
      expect(video.first?.request.headers).not.toHaveProperty("x-tollgate-async")
    })
  )
})

describe("the request", () => {
  it.effect("carries the credential in one header and the body as JSON", () =>
    Effect.gen(function* () {
      const { first } = yield* sentBy(rerank({ ...question, top_n: 1 }, { extra: { return_documents: true } }))
      expect(first?.request.method).toBe("POST")
      expect({ ...first?.request.headers }).toMatchObject({
        authorization: `Bearer ${credential}`,
        accept: "application/json",
        "content-type": "application/json"
      })
      const body = first?.request.body
      const text = body?._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
      expect(JSON.parse(text)).toEqual({ ...question, top_n: 1, return_documents: true })
      expect(first?.url.href + text).not.toContain(credential)
    })
  )

  it.effect("a GET has no body", () =>
    Effect.map(sentBy(call(taskGet)({ task_id: "t" })), ({ first }) => expect(first?.request.body._tag).toBe("Empty"))
  )
})
