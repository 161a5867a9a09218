import { describe, expect, it } from "@effect/vitest"
import { Books } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"

const work = (tokens: number) => ({ operation: "rerank", body: { large: "x" }, billed: { tokens } })

describe("the books", () => {
  it.effect("hold what was billed, in order, without the answers", () =>
    Effect.gen(function* () {
      const books = yield* Books
      yield* Effect.forEach([3, 1, 2], (tokens) => books.record(work(tokens), undefined))
      expect(yield* books.entries).toEqual([
        { operation: "rerank", billed: { tokens: 3 }, number: 1 },
        { operation: "rerank", billed: { tokens: 1 }, number: 2 },
        { operation: "rerank", billed: { tokens: 2 }, number: 3 }
      ])
      expect(yield* books.count).toBe(3)
    }).pipe(Effect.provide(Books.layerMemory()))
  )

  it.effect("keep only the last entries, and count all", () =>
    Effect.gen(function* () {
      const books = yield* Books
      for (let i = 1; i <= 57; i++) {
        yield* books.record(work(i), undefined)
        const entries = yield* books.entries
        expect(entries.length).toBe(Math.min(i, 5))
        expect(entries.at(-1)).toMatchObject({ number: i, billed: { tokens: i } })
        expect(entries[0]?.number).toBe(Math.max(1, i - 4))
      }
      expect(yield* books.count).toBe(57)
    }).pipe(Effect.provide(Books.layerMemory(5)))
  )

  it.effect("a list of entries does not change after it is read", () =>
    Effect.gen(function* () {
      const books = yield* Books
      yield* books.record(work(1), undefined)
      const before = yield* books.entries
      yield* books.record(work(2), undefined)
      expect(before).toHaveLength(1)
    }).pipe(Effect.provide(Books.layerMemory()))
  )
})
