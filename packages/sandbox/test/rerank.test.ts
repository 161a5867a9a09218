import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { bm25 } from "../src/rerank/rerank.ts"
import { rank } from "./ask.ts"

const order = (query: string, documents: ReadonlyArray<string>) =>
  Effect.map(rank(query, documents), ({ results }) => results.map(({ index }) => index))

describe("ranking", () => {
  it.effect("relevant documents come first", () =>
    Effect.gen(function* () {
      expect(yield* order("longest river", ["A mountain.", "The longest river.", "A river."])).toEqual([1, 2, 0])
      expect(yield* order("rivers", ["mountains", "a river"])).toEqual([1, 0])
      expect(yield* order("NILE", ["everest", "the nile"])).toEqual([1, 0])
      expect(yield* order("größte Stadt", ["der Fluss", "die GRÖSSTE stadt", "Die größte Stadt"])).toEqual([2, 1, 0])
      expect(yield* order("река", ["гора", "длинная река"])).toEqual([1, 0])
      expect(yield* order("川", ["山", "川"])).toEqual([1, 0])
    })
  )

  it.effect("documents with equal scores keep their order, and a query without words scores 0", () =>
    Effect.gen(function* () {
      expect(yield* order("river", ["x", "y", "z"])).toEqual([0, 1, 2])
      expect(yield* order("river", ["a river", "a river", "a river"])).toEqual([0, 1, 2])
      for (const empty of [" ", "?!", "…", "🙂", "\u0000"]) {
        const { results } = yield* rank(empty, ["a", "🙂", ""])
        expect(results.map(({ index, relevance_score }) => [index, relevance_score])).toEqual([
          [0, 0],
          [1, 0],
          [2, 0]
        ])
      }
    })
  )

  it.effect("top_n limits the number of results", () =>
    Effect.gen(function* () {
      expect((yield* rank("b", ["a", "b", "c"], 2)).results.map(({ index }) => index)).toEqual([1, 0])
      expect((yield* rank("b", ["a", "b", "c"], 99)).results).toHaveLength(3)
    })
  )

  const words = fc.array(fc.constantFrom("river", "nile", "long", "the", "größe", "川", "a1", "🙂", "?", "is"), {
    maxLength: 12
  })
  const text = fc.oneof(
    words.map((all) => all.join(" ")),
    fc.string({ unit: "grapheme" })
  )

  it.effect("every document is returned once, best first, with a score from 0 to 1", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          text.filter((query) => query !== ""),
          fc.array(text, { minLength: 1, maxLength: 10 }),
          async (query, documents) => {
            const { results } = await Effect.runPromise(rank(query, documents))
            expect(results.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(documents.map((_, i) => i))
            for (const { document, index, relevance_score } of results) {
              expect(document.text).toBe(JSON.parse(JSON.stringify(documents[index])))
              expect(relevance_score).toBeGreaterThanOrEqual(0)
              expect(relevance_score).toBeLessThanOrEqual(1)
            }
            for (const [i, result] of results.entries()) {
              const next = results[i + 1]
              if (next === undefined) continue
              expect(result.relevance_score).toBeGreaterThanOrEqual(next.relevance_score)
              if (result.relevance_score === next.relevance_score) expect(result.index).toBeLessThan(next.index)
            }
          }
        )
      )
    )
  )

  it("a document with every word of the query beats one with none", () => {
    fc.assert(
      fc.property(
        words.filter((all) => all.some((word) => /\p{L}/u.test(word))),
        (asked) => {
          const [all, none] = bm25(asked.join(" "), [asked.join(" "), "entirely unrelated content"])
          expect(all).toBeGreaterThan(none!)
        }
      )
    )
  })

  it("a thousand documents and a long query are ranked within two seconds", () => {
    const word = (i: number) => `w${i.toString(36)}`
    const documents = Array.from({ length: 1000 }, (_, i) =>
      Array.from({ length: 100 }, (_, j) => word(i * 31 + j * 7)).join(" ")
    )
    const question = Array.from({ length: 20_000 }, (_, i) => word(i)).join(" ")
    const start = process.cpuUsage()
    expect(bm25("w1 w2 w3", documents)).toHaveLength(1000)
    expect(bm25(question, documents)).toHaveLength(1000)
    // Of this process alone, so that a busy machine does not count.
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(15_000)
  })
})

describe("the price", () => {
  it.effect("counts the tokens of the documents, and those of the query for each document", () =>
    Effect.gen(function* () {
      const query = "which river is longest?"
      const documents = ["A mountain.", "The Nile.", ""]
      const { usage } = yield* rank(query, documents)
      expect(usage.total_tokens).toBe(5 * 3 + 3 + 3 + 0)
      expect((yield* rank(query, documents, 1)).usage.total_tokens).toBe(usage.total_tokens)
    })
  )
})
