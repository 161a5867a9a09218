import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import { follow } from "@tollgate/contract/operations/follow"
import { postComments } from "@tollgate/contract/operations/postComments"
import { rerank } from "@tollgate/contract/operations/rerank"
import { read } from "@tollgate/contract/price/exact"
import * as Names from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { json } from "../../../src/upstream/protocols/json.ts"
import { parseFields, readAnswer } from "../../../src/upstream/protocols/parsedAnswer.ts"
import { answerOf, exchangeOf } from "./exchange.ts"

const run = <A>(slices: Generator<void, A>): { readonly value: A; readonly count: number } => {
  for (let count = 1; ; count++) {
    const slice = slices.next()
    if (slice.done === true) return { value: slice.value, count }
  }
}

const parse = (text: string, paths: ReadonlyArray<ReadonlyArray<string>>) => run(parseFields(Utf8.encode(text), paths))

describe("the fields of a large text", () => {
  const name = fc.constantFrom("a", "b", "usage", "items", 'q"', "\\", "é")
  const paths = [["a"], ["usage", "b"], ["items"]]

  it("are those of the whole text, however it is written", () => {
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.oneof(fc.jsonValue(), fc.dictionary(name, fc.jsonValue()))),
        fc.nat(3),
        (value, spaces) => {
          const found = parse(JSON.stringify(value, null, spaces), paths).value
          for (const path of paths) expect(read(found, path)).toEqual(read(JSON.parse(JSON.stringify(value)), path))
        }
      )
    )
  })

  it("are none if the text is cut off or goes on", () => {
    const text = JSON.stringify({ a: [1, { b: "]\\" }], usage: { b: '"' } })
    for (let end = 0; end < text.length; end++) expect(parse(text.slice(0, end), paths).value).toBeUndefined()
    for (const more of ["x", "}", '"', ",1", "{}"]) expect(parse(text + more, paths).value).toBeUndefined()
    expect(parse(`${text} \n`, paths).value).toMatchObject({ usage: { b: '"' } })
  })

  it("are counted if they are a long list, and looked into if they are a large object", () => {
    const text = "x".repeat(20_000)
    const value = { items: [{ text }, {}, { text: ["]", ","] }], a: [1, [2, 3], text], usage: { text, b: 7 } }
    expect(parse(JSON.stringify(value), paths).value).toEqual({
      items: [{}, {}, {}],
      a: [null, null, null],
      usage: { b: 7 }
    })
  })

  it.each([
    ["many names", JSON.stringify(Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`n${i}`, i])))],
    ["many numbers", JSON.stringify({ a: Array.from({ length: 500_000 }, (_, i) => i) })],
    ["many levels", "[".repeat(1_000_000) + "]".repeat(1_000_000)],
    ["a long text with escapes", JSON.stringify({ a: '"\\'.repeat(1_000_000) })]
  ])("are read in slices: %s", (_, text) => {
    expect(parse(text, [["b"]]).count).toBeGreaterThanOrEqual(Math.floor(text.length / 4_000_000) + 1)
    expect(parse(text, [["b"]]).count).toBeGreaterThan(1)
  })
})

describe("a large answer proves the same cost as a small one", () => {
  const filler = { filler: Array.from({ length: 30_000 }, (_, i) => ({ i })) }
  const perRequest = { contract: "per_request", amount: usd("1") } as const

  it.each<[string, Operation, object]>([
    ["any object", follow, { ok: true }],
    ["an error", follow, { error: { message: "no" } }],
    ["a failure", follow, { success: false }],
    ["comments", postComments, { success: true, comments: [{ id: 1 }, {}] }],
    ["a long list of comments", postComments, { comments: Array.from({ length: 9_000 }, (_, id) => ({ id })) }],
    ["no list of comments", postComments, { comments: 5 }],
    ["a ranking", rerank, { results: [{}], usage: { total_tokens: 7 } }],
    ["a ranking of something else", rerank, { results: [5], usage: { total_tokens: 7 } }],
    ["a ranking without usage", rerank, { results: [{}] }]
  ])("%s", (_, operation, body) => {
    const path = Names.fill(operation.path ?? "/v1/bound", Names.defaults)
    const exchange = exchangeOf(
      operation,
      path,
      operation.method === "GET" ? undefined : '{"query":"q","documents":["d"]}'
    )
    const price = "amount" in operation.price && operation.price.amount === "pending" ? perRequest : operation.price
    const priced = { ...exchange, price }
    const large = answerOf(JSON.stringify({ ...filler, ...body }))
    const { count } = run(readAnswer(priced, large))
    expect(count).toBeGreaterThanOrEqual(1)
    expect(json.evidence(priced, large)).toEqual(json.evidence(priced, answerOf(JSON.stringify(body))))
  })

  it("unless it is cut off", () => {
    const exchange = { ...exchangeOf(follow, Names.fill(follow.path ?? "", Names.defaults), "{}"), price: perRequest }
    const cut = answerOf(JSON.stringify(filler).slice(0, -1))
    run(readAnswer(exchange, cut))
    expect(json.evidence(exchange, cut)._tag).toBe("None")
  })
})
