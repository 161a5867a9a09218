import { describe, expect, it } from "@effect/vitest"
import { Open } from "@tollgate/contract/Open"
import * as Utf8 from "@tollgate/contract/Utf8"
import { AnyQuery, IntFromQuery, OpenQuery } from "@tollgate/contract/QueryStyle"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Transformation from "effect/SchemaTransformation"
import * as fc from "fast-check"
import { toRequest } from "../../../src/endpoints/catalogue/arguments.ts"
import { parseQuery } from "../../../src/internal/query.ts"
import * as Router from "../../../src/call/router/Router.ts"
import { anyText } from "./anyText.ts"
import { bound, builtIn, requesting } from "./catalogues.ts"

const made = (operation: Parameters<typeof toRequest>[0], given: unknown) => {
  const { body, url, ...rest } = Result.getOrThrowWith(toRequest(operation, given), (message) => new Error(message))
  return { url, body: body === undefined ? undefined : (JSON.parse(Utf8.decode(body)) as unknown), ...rest }
}

const refused = (operation: Parameters<typeof toRequest>[0], given: unknown): string | undefined =>
  Result.getOrElse(Result.flip(toRequest(operation, given)), () => undefined)

describe("arguments become a request", () => {
  it("in the body of an operation that has one", () => {
    expect(made(bound("rerank"), { query: "a", documents: ["b"], extra: { deep: [1, null] } })).toEqual({
      method: "POST",
      url: "/v1/rerank",
      headers: {},
      contentType: "application/json",
      body: { query: "a", documents: ["b"], extra: { deep: [1, null] } }
    })
  })

  it("in the query of an operation without a body", () => {
    expect(made(bound("usage"), { start_time: 5, end_time: "7" })).toEqual({
      method: "GET",
      url: "/v1/usage?start_time=5&end_time=7",
      headers: {},
      contentType: undefined,
      body: undefined
    })
  })

  it("in the path, the rest in the body", () => {
    const request = made(bound("models.generate_content"), { model: "a/b:c d", contents: [] })
    expect(request.url).toBe("/v1beta/models/a%2Fb%3Ac%20d:generateContent")
    expect(request.body).toEqual({ contents: [] })
  })

  it("with the fixed headers of the operation", () => {
    expect(made(bound("video.create"), { model: "m", input: { prompt: "p" } }).headers).toEqual({
      "x-tollgate-async": "enable"
    })
  })

  it("with the names that an operator gave to pending parameters", () => {
    const operation = { ...bound("social_b.post_comments"), parameters: { cursor: "after" } }
    expect(made(operation, { url: "https://a.example/?b=c&d", after: "x y" }).url).toBe(
      "/apis/v1/social_b/post/comments?url=https%3A%2F%2Fa.example%2F%3Fb%3Dc%26d&after=x%20y"
    )
  })

  it("without arguments too", () => {
    expect(made(bound("models.list"), undefined).url).toBe("/v1/models")
    expect(made(bound("social_a.auth"), undefined).body).toEqual({})
    expect(made(bound("social_a.auth"), {}).body).toEqual({})
  })

  it("a parameter that is null is left out, a field of the body is sent", () => {
    expect(made(bound("models.list_gemini"), { pageSize: null }).url).toBe("/v1beta/models")
    expect(made(bound("rerank"), { query: "a", documents: ["b"], top_n: null }).body).toMatchObject({ top_n: null })
  })

  it("unknown names go to the body before the query, even names of JavaScript", () => {
    const both = requesting({ query: AnyQuery, body: Open({}) })
    expect(made(both, { a: 1 })).toMatchObject({ url: "/v1/any", body: { a: 1 } })
    expect(made(requesting({ query: AnyQuery }), { a: 1, b: true }).url).toBe("/v1/any?a=1&b=true")
    const hostile: unknown = JSON.parse('{ "__proto__": { "x": 1 }, "constructor": 2, "toString": 3 }')
    const { body } = Result.getOrThrow(toRequest(both, hostile))
    expect(Utf8.decode(body!)).toBe('{"__proto__":{"x":1},"constructor":2,"toString":3}')
  })
})

describe("a name that several parts have", () => {
  const operation = requesting(
    {
      path: Schema.Struct({ id: Schema.NonEmptyString }),
      query: Schema.Struct({ id: Schema.String, page: Schema.optionalKey(IntFromQuery) }),
      body: Open({ id: Schema.String, page: Schema.Int, "body.page": Schema.optionalKey(Schema.Int) })
    },
    "/v1/things/{id}"
  )

  it("means the path's, then the query's; the others say where they go", () => {
    expect(made(operation, { id: "p", "query.id": "q", "body.id": "b", page: 1, "body.page": 2 })).toMatchObject({
      url: "/v1/things/p?id=q&page=1",
      body: { id: "b", page: 2 }
    })
  })

  it("is still one name each if a field has the longer name itself", () => {
    expect(made(operation, { id: "p", "body.page": 2, "body.body.page": 3 }).body).toEqual({
      page: 2,
      "body.page": 3
    })
  })
})

describe("a list in a query", () => {
  const list = Schema.String.pipe(
    Schema.decodeTo(
      Schema.Array(Schema.Int),
      Transformation.transform({
        decode: (text: string): ReadonlyArray<number> => text.split("|").map(Number),
        encode: (items: ReadonlyArray<number>) => items.join("|")
      })
    )
  )

  it("is written as the operation reads it", () => {
    const operation = requesting({ query: Schema.Struct({ ids: list }) }, "/v1/any", "GET")
    expect(made(operation, { ids: [1, 2, 3] }).url).toBe("/v1/any?ids=1%7C2%7C3")
    expect(made(operation, { ids: "1|2" }).url).toBe("/v1/any?ids=1%7C2")
  })

  it("is refused if the operation does not say how it reads one", () => {
    const open = requesting({ query: OpenQuery({ word: Schema.optionalKey(Schema.String) }) }, "/v1/any", "GET")
    expect(refused(open, { word: ["a", "b"] })).toBe("word: must be a string, a number, true or false.")
    expect(refused(open, { other: { a: 1 } })).toBe("other: must be a string, a number, true or false.")
  })
})

describe("arguments are refused with the name of the field", () => {
  it.each<[string, string, unknown, string]>([
    ["no object", "rerank", "text", "arguments: must be an object."],
    ["a list", "rerank", [1], "arguments: must be an object."],
    ["null", "rerank", null, "arguments: must be an object."],
    [
      "an unknown name",
      "usage",
      { since: 1 },
      "since: the operation has no such argument; it takes start_time, end_time."
    ],
    [
      "an unknown name in a closed body",
      "social_a.auth",
      { scope: [] },
      "scope: the operation has no such argument; it takes scopes."
    ],
    ["any name if there is none", "models.list", { a: 1 }, "a: the operation has no such argument; it takes none."],
    ["no path parameter", "task.get", {}, "task_id: is missing."],
    ["null in the path", "task.get", { task_id: null }, "task_id: is missing."],
    ["an empty path parameter", "task.get", { task_id: "" }, "task_id: must not be empty."],
    ["a list in the path", "task.get", { task_id: ["a"] }, "task_id: must be a string, a number, true or false."],
    ["half a character", "task.get", { task_id: "\ud800" }, "task_id: is not valid Unicode text."],
    ["half a character in a query", "usage", { start_time: "\ud800" }, "start_time: is not valid Unicode text."]
  ])("%s", (_, id, given, message) => {
    expect(refused(bound(id), given)).toBe(message)
  })

  it.each([".", "..", "../x", "a/../b", "a/..", "..\\x", "./a"])("the dot segment in %j", (task_id) => {
    expect(refused(bound("task.get"), { task_id })).toBe('task_id: must not contain "." or ".." as a path segment.')
  })

  it("a long unknown name is cut short", () => {
    expect(refused(bound("models.list"), { ["x".repeat(10_000)]: 1 })?.length).toBeLessThan(200)
  })

  it("values that nest deeper than JSON can be written", () => {
    let deep: unknown = 1
    for (let i = 0; i < 200_000; i++) deep = [deep]
    expect(refused(bound("rerank"), { deep })).toBe("arguments: cannot be written as JSON.")
  })
})

describe("whatever the values are", () => {
  const router = Router.make(builtIn.bound)

  it("the path leads to the same operation, and its parameters are read back", () => {
    const ids = ["task.get", "models.generate_content", "models.stream_generate_content", "reseller.cached_answer"]
    fc.assert(
      fc.property(fc.constantFrom(...ids), anyText, (id, value) => {
        const operation = bound(id)
        const name = /\{(\w+)\}/.exec(operation.path)![1]!
        const request = toRequest(operation, { [name]: value })
        if (Result.isFailure(request)) return
        expect(request.success.url).toMatch(/^\/[\x21-\x7e]*$/)
        const match = router.match(request.success.url)
        expect(match?.operations.get(operation.method)?.id).toBe(id)
        expect(match?.parameters).toEqual({ [name]: value })
      })
    )
  })

  it("the query is read back as it was given", () => {
    const operation = bound("traffic_analytics.traffic_engagement")
    fc.assert(
      fc.property(fc.dictionary(anyText, anyText), (given) => {
        const request = toRequest(operation, given)
        if (Result.isFailure(request)) return
        const [, query = ""] = request.success.url.split("?")
        const expected = Object.entries(given).filter(([name, value]) => name !== "" || value !== "")
        expect([...(parseQuery(query) ?? [])].filter(([name, value]) => name !== "" || value !== "")).toEqual(expected)
      })
    )
  })
})
