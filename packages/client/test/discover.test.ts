import { describe, expect, it } from "@effect/vitest"
import { deepResearch, imageGenerate, postCommentsPages, quote, wordSuggestions } from "@tollgate/client"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults, fill } from "@tollgate/contract/Names"
import type { Binding } from "@tollgate/contract/Operation"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import { operations } from "@tollgate/contract/operations"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { bindable } from "../src/pending/generated/bindable.ts"
import { json, respond, scripted } from "./scripted.ts"

const contract = (bindings: Readonly<Record<string, Binding>>, names = defaults) =>
  OpenApi.source(Catalogue.make(operations, names, bindings))

/** Answers the contract as `source` returns it, and everything else with `{}`. */
const serving = (source: () => readonly [status: number, body: string], options: Parameters<typeof scripted>[1] = {}) =>
  scripted(
    (request, url, signal) => {
      if (url.pathname === "/api/contracts/version") {
        const version = JSON.stringify({ contentHash: "h 1", docsRevision: "d" })
        return respond(200, version, json)(request, url, signal)
      }
      const [status, body] = url.pathname === "/api/contracts/source" ? source() : ([200, "{}"] as const)
      return respond(status, body, json)(request, url, signal)
    },
    { discover: true, ...options }
  )

const pathsOf = (sent: ReturnType<typeof scripted>["sent"]) => sent.map(({ url }) => url.pathname)
const version = "/api/contracts/version"
const source = "/api/contracts/source"

describe("discovery", () => {
  const bindings = {
    "images.generate": { path: "/pictures" },
    "deep_research.search": { path: "/research" },
    "reseller.social_c.search_word_suggestion": { parameters: { language: "lang", region: "where" } }
  }
  const document = contract(bindings)

  it.effect("reads the contract once, without a credential, for all calls that need it at the same time", () =>
    Effect.gen(function* () {
      const { layer, sent } = serving(() => [200, document])
      yield* Effect.gen(function* () {
        yield* Effect.all([imageGenerate({ prompt: "a" }), imageGenerate({ prompt: "b" }), deepResearch({})], {
          concurrency: "unbounded"
        })
        yield* imageGenerate({ prompt: "c" })
      }).pipe(Effect.provide(layer))
      expect(pathsOf(sent).slice(0, 2)).toEqual([version, source])
      expect(sent[1]?.url.search).toBe("?hash=h%201&bundled=1")
      expect(sent.slice(0, 2).map(({ request }) => request.headers.authorization)).toEqual([undefined, undefined])
      expect(pathsOf(sent).slice(2).toSorted()).toEqual(["/pictures", "/pictures", "/pictures", "/research"])
    })
  )

  it.effect("takes no longer than the call may", () =>
    Effect.gen(function* () {
      const { layer } = scripted(() => Effect.never, { discover: true })
      const call = Effect.flip(imageGenerate({ prompt: "a" }, { timeout: "1 second" })).pipe(Effect.provide(layer))
      const fiber = yield* Effect.forkChild(call)
      yield* TestClock.adjust("1 second")
      expect(fiber.pollUnsafe()).toBeDefined()
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "TransportFailed", outcome: "not executed" })
    })
  )

  it.effect("keeps what the client binds itself, and finds the rest", () =>
    Effect.gen(function* () {
      const own = { "reseller.social_c.search_word_suggestion": { parameters: { language: "mine" } } }
      const { layer, sent } = serving(() => [200, document], { bindings: own })
      const call = wordSuggestions({ search_word: "w", language: "de", region: "at" })
      yield* Effect.ignore(Effect.provide(call, layer))
      expect(sent.at(-1)?.url.search).toBe("?search_word=w&mine=de&where=at")
    })
  )

  it.effect("serves quotes too", () =>
    Effect.gen(function* () {
      const { layer, sent } = serving(() => [200, document])
      yield* Effect.ignore(Effect.provide(quote(imageGenerate, { prompt: "a" }), layer))
      expect(pathsOf(sent)).toEqual([version, source, "/pictures"])
    })
  )

  it.effect.each([
    ["a status", 503, "{}"],
    ["no JSON", 200, "<html>"]
  ] as const)("that fails with %s says so, and the next call tries again", ([, status, body]) =>
    Effect.gen(function* () {
      let answer: readonly [number, string] = [status, body]
      const { layer, sent } = serving(() => answer)
      yield* Effect.gen(function* () {
        const error = yield* Effect.flip(imageGenerate({ prompt: "a" }))
        expect(error).toMatchObject({ _tag: "TransportFailed", operation: "images.generate", outcome: "not executed" })
        expect(error.message).toContain("The gateway's contract could not be read")
        answer = [200, document]
        yield* imageGenerate({ prompt: "a" })
      }).pipe(Effect.provide(layer))
      expect(pathsOf(sent)).toEqual([version, source, version, source, "/pictures"])
    })
  )

  it.effect("of a gateway that leaves the operation open says so", () =>
    Effect.gen(function* () {
      const { layer } = serving(() => [200, contract({})])
      const image = yield* Effect.flip(Effect.provide(imageGenerate({}), layer))
      expect(image).toMatchObject({
        _tag: "InputInvalid",
        message: expect.stringContaining("gateway does not bind it")
      })
      const pages = Stream.runDrain(postCommentsPages({ url: "u" }))
      expect(yield* Effect.flip(Effect.provide(pages, layer))).toMatchObject({
        _tag: "InputInvalid",
        message: expect.stringContaining("gateway does not bind it")
      })
    })
  )

  it.effect("finds operations under the operator's names", () =>
    Effect.gen(function* () {
      const names = { ...defaults, social_b: "chat" }
      const bound = contract({ "chat.post_comments": { parameters: { cursor: "after" } } }, names)
      const { layer } = serving(() => [200, bound], { names })
      const pages = Stream.runDrain(postCommentsPages({ url: "u" }))
      expect((yield* Effect.flip(Effect.provide(pages, layer)))._tag).toBe("AnswerInvalid")
    })
  )
})

describe("bindings", () => {
  const failure = (bindings: Readonly<Record<string, Binding>>) =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(respond(200, "{}", json), { bindings })
      const error = yield* Effect.flip(Effect.provide(imageGenerate({}), layer))
      expect(error._tag).toBe("InputInvalid")
      expect(sent).toEqual([])
      return error.message
    })

  it.effect("that are missing: the error names both options", () =>
    Effect.gen(function* () {
      const message = yield* failure({})
      expect(message).toContain("discover: true")
      expect(message).toContain(`bindings: { "images.generate": { path: "/…" } }`)
    })
  )

  it.effect("of a misspelt operation or parameter: the error names those that exist", () =>
    Effect.gen(function* () {
      const path = "/v1/images"
      const all = yield* failure({ pictures: { path } })
      expect(all).toContain("pictures is not an operation with pending parts")
      for (const id of Object.keys(bindable)) expect(all).toContain(fill(id, defaults))
      const cursor = { "social_b.post_comments": { parameters: { curser: "c" } } }
      expect(yield* failure(cursor)).toContain("There are: cursor")
      const role = { "images.generate": { path, parameters: { size: "s" } } }
      expect(yield* failure(role)).toContain("size is not a pending parameter of images.generate")
      expect(yield* failure({ "images.generate": { path: "v1" } })).toContain("has to begin with /")
    })
  )

  it("can be set for exactly the operations that leave a path or a parameter open", () => {
    const open = operations.flatMap(({ id, path, pending }) => {
      const roles = pending.flatMap((part) => (part.open === "parameter" ? [part.role] : []))
      return path === undefined || roles.length > 0 ? [[id, roles] as const] : []
    })
    expect(bindable).toEqual(Object.fromEntries(open))
  })
})
