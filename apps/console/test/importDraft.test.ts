import { describe, expect, it } from "vitest"
import { emptyDraft, problemsIn, requestOf } from "../src/pages/operator/imports/draft.ts"

const filled = { ...emptyDraft, source: "text" as const, text: "{}", upstream: " pets " }

const wrongIn = (part: Partial<typeof emptyDraft>) =>
  Object.entries(problemsIn({ ...filled, ...part })).flatMap(([name, problem]) => (problem === undefined ? [] : [name]))

describe("the form of an import", () => {
  it("says which fields are wrong", () => {
    expect(wrongIn({})).toEqual([])
    expect(wrongIn({ text: "" })).toEqual(["text"])
    expect(wrongIn({ source: "file" })).toEqual(["file"])
    expect(wrongIn({ text: "x".repeat(20 * 1024 * 1024) })).toEqual(["text"])
    for (const upstream of ["", "../pets", "__proto__", "x".repeat(65)])
      expect(wrongIn({ upstream })).toEqual(["upstream"])
    for (const price of ["-1", "1e3", "0.0000000001", "cheap"]) expect(wrongIn({ price })).toEqual(["price"])
    for (const price of ["", "free", "0.002", "12"]) expect(wrongIn({ price })).toEqual([])
    expect(wrongIn({ address: "pets.example.com" })).toEqual(["address"])
    expect(wrongIn({ credential: "header", header: "" })).toEqual(["header"])
    expect(wrongIn({ credential: "bearer", header: "" })).toEqual([])
    expect(wrongIn({ prefix: "A" })).toEqual(["prefix"])
  })

  it("sends what was typed, and leaves out what was not", () => {
    expect(requestOf(filled)).toEqual({ document: "{}", upstream: "pets" })
    expect(
      requestOf({
        ...filled,
        address: " https://pets.example.com ",
        isPrivate: true,
        credential: "header",
        header: "X-Key",
        price: "0.002",
        only: "GET /pets\n\n  cats \n",
        prefix: "zoo"
      })
    ).toEqual({
      document: "{}",
      upstream: "pets",
      base_url: "https://pets.example.com",
      private: true,
      credential: { header: "X-Key" },
      price: "0.002",
      only: ["GET /pets", "cats"],
      prefix: "zoo"
    })
    expect(requestOf({ ...filled, credential: "bearer" }).credential).toEqual({})
  })
})
