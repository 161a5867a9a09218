import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "../src/Catalogue.ts"
import { defaults } from "../src/Names.ts"
import * as Operation from "../src/Operation.ts"
import { operations } from "../src/operations.ts"
import { generateContent } from "../src/operations/generateContent.ts"
import { imageGenerate } from "../src/operations/imageGenerate.ts"
import { modelList } from "../src/operations/modelList.ts"
import { rerank } from "../src/operations/rerank.ts"
import { summary, tweetQuotes } from "../src/operations/tweetQuotes.ts"

const names = { ...defaults, social_a: "birds" }

describe("the catalogue", () => {
  it("lists every operation and routes those that have a path", () => {
    const catalogue = Catalogue.make(operations, names)
    const entries = Catalogue.entries(catalogue)
    assert.lengthOf(entries, operations.length)
    assert.lengthOf(catalogue.bound, operations.length - 2)
    assert.deepStrictEqual(
      entries.filter((entry) => entry.path === null).map((entry) => entry.id),
      ["deep_research.search", "images.generate"]
    )
    assert.deepInclude(entries, {
      id: "birds.tweet_quotes",
      category: "social",
      summary,
      state: "complete",
      method: "GET",
      path: "/apis/v1/birds/tweet/quotes",
      price_contract: "per_request"
    })
  })

  it("routes a pending operation once an operator binds its path", () => {
    const catalogue = Catalogue.make(operations, names, { "images.generate": { path: "/v1/{social_a}/images" } })
    assert.strictEqual(catalogue.byId.get("images.generate")?.path, "/v1/birds/images")
    const entry = Catalogue.entries(catalogue).find(({ id }) => id === "images.generate")
    assert.strictEqual(entry?.path, "/v1/birds/images")
    assert.strictEqual(entry?.state, "pending")
  })

  it("finds bindings by the operation id with the names filled in", () => {
    const catalogue = Catalogue.make(operations, names, { "birds.tweet_quotes": { path: "/q" } })
    assert.strictEqual(catalogue.byId.get("birds.tweet_quotes")?.path, "/q")
  })
})

describe("binding", () => {
  it("leaves an operation without a path unbound", () => {
    assert.isUndefined(Operation.bind(imageGenerate, defaults))
  })

  it("does not change the operation itself", () => {
    const before = { ...tweetQuotes }
    Operation.bind(tweetQuotes, names)
    assert.deepStrictEqual({ ...tweetQuotes }, before)
  })
})

describe("splitting the input", () => {
  it("takes the whole input as the only part of the request", () => {
    assert.deepStrictEqual(Operation.split(rerank, { query: "q" }), { body: { query: "q" } })
    assert.deepStrictEqual(Operation.split(tweetQuotes, { tweetId: "1" }), { query: { tweetId: "1" } })
    assert.deepStrictEqual(Operation.split(modelList, undefined), {})
  })

  it("takes several parts by name", () => {
    const input = { path: { model: "m" }, body: { contents: [] } }
    assert.deepStrictEqual(Operation.split(generateContent, input), input)
    assert.deepStrictEqual(Operation.split(generateContent, undefined), {})
  })
})

it("every operation except the free ones can be quoted", () => {
  for (const operation of operations) {
    assert.strictEqual(Operation.isQuotable(operation), operation.price.contract !== "free")
  }
})
