import { describe, expect, it } from "@effect/vitest"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { usd } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as fc from "fast-check"
import { askedFor } from "@tollgate/tools/askedFor"
import { catalogueOf, indexOf } from "@tollgate/testing/tools/catalogues"
import type { Found } from "@tollgate/tools/ToolCatalogue"

const builtIn = catalogueOf(0)
const alone = indexOf(builtIn)
const together = catalogueOf(200)
const amongOthers = indexOf(together)

const idsOf = (found: ReadonlyArray<Found>): ReadonlyArray<string> => found.map(({ operation_id }) => operation_id)

describe("a query finds an operation", () => {
  it("an operation is first under its own id and its own summary", () => {
    const missed = together.bound.filter(
      ({ id, summary }) =>
        amongOthers.search(id).results[0]?.operation_id !== id ||
        amongOthers.search(summary).results[0]?.summary !== summary
    )
    expect(missed.map(({ id }) => id)).toEqual([])
  })

  it("of operations with the same summary, the one that fits best is first, whatever its id", () => {
    const named = (id: string, path: string) => ({
      ...builtIn.bound[0]!,
      id,
      path,
      summary: "Ship a parcel",
      description: ""
    })
    const other = {
      ...builtIn.bound[0]!,
      id: "c",
      summary: "Ship the parcels of a parcel shop that ships",
      description: ""
    }
    const bound = [named("a", "/customers/{id}/offices/{office}/parcels"), named("b", "/parcels"), other]
    const index = indexOf({ ...builtIn, bound })
    expect(idsOf(index.search("ship a parcel").results)).toEqual(["b", "a", "c"])
  })

  it("the search knows how people ask for each operation of the contract", () => {
    expect(Object.keys(askedFor).sort()).toEqual(operations.map(({ id }) => id).sort())
  })

  it("everyday words stand for those of interfaces, under the operator's own names too", () => {
    const index = indexOf(Catalogue.make(operations, { ...defaults, social_a: "chirper" }))
    expect(index.search("keep up with an influencer").results[0]?.operation_id).toBe("chirper.follow")
    expect(alone.search("is my wallet empty").results[0]?.operation_id).toBe("account.balance")
  })

  it("words may be in the plural, in another form, or have a typing error", () => {
    for (const query of ["reranking", "RERANKED documents", "rernak", "rerankk"]) {
      expect(alone.search(query).results[0]?.operation_id, query).toMatch(/^rerank/)
    }
  })

  it("a typing error in the ending of a word is forgiven", () => {
    expect(alone.search("conversaton").results[0]?.operation_id).toBe(
      alone.search("conversation").results[0]?.operation_id
    )
  })

  it("fields by which a list is read in pages are no reason to find it", () => {
    expect(idsOf(alone.search("pageToken", { limit: 50 }).results)).not.toContain("models.list_gemini")
  })

  it("the operator's own names count", () => {
    const named = Catalogue.make(operations, { ...defaults, social_b: "photogram", traffic_analytics: "webmeter" })
    const index = indexOf(named)
    expect(index.search("photogram comments").results[0]?.operation_id).toBe("photogram.post_comments")
    expect(index.search("webmeter").results[0]?.operation_id).toBe("webmeter.traffic_engagement")
  })

  it("the names of priced models count", () => {
    const price = { input: usd("1"), output: usd("2"), cacheRead: usd("1"), cacheWrite: usd("1") }
    const index = indexOf(builtIn, {
      of: (operation) =>
        operation.id === "messages" && operation.price.contract === "model_tokens"
          ? { ...operation.price, models: { "zephyr-large": price } }
          : operation.price
    })
    expect(idsOf(index.search("zephyr").results)).toEqual(["messages"])
  })

  it("operations described in another script are found in it", () => {
    const translated = builtIn.bound.map((operation) =>
      operation.id === "rerank" ? { ...operation, summary: "文書を関連度順に並べ替える" } : operation
    )
    const index = indexOf({ ...builtIn, bound: translated })
    expect(idsOf(index.search("文書の並べ替え").results)).toEqual(["rerank"])
  })
})

describe("a search", () => {
  it("shows summary, category and price of what it found", () => {
    expect(alone.search("rerank", { limit: 1 }).results).toEqual([
      {
        operation_id: "rerank",
        summary: "Order documents by their relevance to a query",
        category: "rerank",
        price: "$0.05 / 1M tokens"
      }
    ])
  })

  it("stays in its category", () => {
    const found = amongOthers.search("video", { category: "social", limit: 50 }).results
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map(({ category }) => category))).toEqual(new Set(["social"]))
  })

  it("without words lists the category", () => {
    expect(idsOf(alone.search("", { category: "video" }).results)).toEqual(["task.get", "video.create"])
    expect(idsOf(alone.search("what is the", { category: "video" }).results)).toEqual(["task.get", "video.create"])
  })

  it.each([
    [undefined, 5],
    [3, 3]
  ])("with limit %s returns %s results", (limit, count) => {
    expect(amongOthers.search("get the details of a video", { limit }).results).toHaveLength(count)
  })

  it("gives the same results again, whatever order the operations are in", () => {
    const reversed = indexOf({ ...together, bound: together.bound.toReversed() })
    for (const { summary } of together.bound) {
      const query = `get ${summary} of a video`
      expect(reversed.search(query).results).toEqual(amongOthers.search(query).results)
    }
  })
})

describe("a hostile query", () => {
  const categories = "account, contracts, finance, models, rerank, social, video, web traffic"

  it.each([
    ["empty", ""],
    ["blank", " \n\t\u0000"],
    ["only common words", "what is the of and to please"],
    ["only punctuation", ".*+?^${}()|[]\\ (((( \"' ;--"],
    ["emoji", "🎉🎉"]
  ])("%s finds nothing and says so", (_, query) => {
    expect(alone.search(query).results).toEqual([])
    expect(alone.search(query).note).toBe(
      `The query has no words to search for. Say in a few words what you need, or name a category: ${categories}.`
    )
  })

  it.each([
    ["in a script that no operation uses", "сколько стоит погода"],
    ["of unknown words", "xyzzy plugh"],
    ["of the names of JavaScript", "constructor prototype"],
    ["of one endless word", "x".repeat(10_000)]
  ])("%s finds nothing and says so", (_, query) => {
    expect(alone.search(query).results).toEqual([])
    expect(alone.search(query).note).toBe(
      `No operation has these words. Try others, in English, or name a category: ${categories}.`
    )
  })

  it("of 10 kB is read to its limit, and says so", () => {
    const query = `rerank documents ${"lorem ipsum ".repeat(1_000)} usage`
    expect(alone.search(query).results[0]?.operation_id).toMatch(/^rerank/)
    expect(idsOf(alone.search(query).results)).not.toContain("usage")
    expect(alone.search(query).note).toBe("Only the first 500 characters were used.")
  })

  it.each([
    ["rerank zebras", ["zebras"]],
    ["rerank with Xyzzy, then plugh the plugh", ["xyzzy", "plugh"]],
    // Read as other words, or as an example.
    ["rereank documents", []],
    ["rerank 4711 documents of a_b_c", []],
    ["rerank", []],
    ["video.create", []],
    ["rerank foooo baaar baaaz quuux coorge graault waldoo", ["foooo", "baaar", "baaaz", "quuux", "coorge"]]
  ])("%s names the words that no operation mentions", (query, words) => {
    expect(alone.search(query).results).not.toEqual([])
    expect(alone.search(query).note).toBe(
      words.length === 0
        ? undefined
        : `No operation mentions ${words.map((word) => `"${word}"`).join(", ")}. If none of these fits, say it in other words.`
    )
  })

  it("with an unknown category says which there are", () => {
    expect(alone.search("rerank", { category: "__proto__" }).results).toEqual([])
    expect(alone.search("rerank", { category: "__proto__" }).note).toBe(
      `There is no category of this name. The categories are: ${categories}.`
    )
  })

  it("with many misspelled words is corrected in the first four only, which bounds the time that it takes", () => {
    expect(idsOf(alone.search("rernak").results)).toContain("rerank")
    expect(idsOf(alone.search("foooo baaar baaaz rernak").results)).toContain("rerank")
    expect(alone.search("foooo baaar baaaz quuux rernak").results).toEqual([])
  })

  /** Any UTF-16 units, halves of characters included. */
  const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes))

  it("never throws, and always gets an answer", () => {
    fc.assert(
      fc.property(fc.oneof(units, fc.string()), (query) => {
        const { note, results } = alone.search(query)
        return results.length > 0 || note !== undefined
      })
    )
  })
})

describe("the categories", () => {
  it("show how many operations they have and what those cost", () => {
    expect(alone.categories().map(({ count, name }) => [name, count])).toEqual([
      ["account", 5],
      ["contracts", 3],
      ["finance", 1],
      ["models", operations.filter(({ category }) => category === "models").length],
      ["rerank", 2],
      ["social", 8],
      ["video", 2],
      ["web traffic", 1]
    ])
    expect(alone.categories().find(({ name }) => name === "social")).toEqual({
      name: "social",
      description: "Reading from and writing to social platforms",
      count: 8,
      free: 1,
      pending: 2,
      prices: [
        { per: "answer whose code is 200", from: 0.00145, to: 0.0029 },
        { per: "item in comments", from: 0.00188, to: 0.00188 }
      ]
    })
  })

  it("are none if there are no operations", () => {
    const none = indexOf(Catalogue.make([], defaults))
    expect(none.categories()).toEqual([])
    expect(none.search("anything").results).toEqual([])
  })
})
