import { describe, expect, it } from "vitest"
import { importForm } from "../src/pages/operator/imports/importForm.ts"
import { readForm } from "../src/ui/readForm.ts"

const filled = { source: "text", text: "{}", upstream: " pets ", header: "X-Api-Key" }

const read = (texts: Readonly<Record<string, string>>) => readForm(importForm, { ...filled, ...texts })
const wrongIn = (texts: Readonly<Record<string, string>>) => Object.keys(read(texts).problems)

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
    expect(wrongIn({ base_url: "pets.example.com" })).toEqual(["base_url"])
    expect(wrongIn({ credential: "header", header: "" })).toContain("header")
    expect(wrongIn({ credential: "bearer", header: "" })).toEqual([])
    expect(wrongIn({ prefix: "A" })).toEqual(["prefix"])
  })

  it("sends what was typed, and leaves out what was not", () => {
    expect(read({}).value).toEqual({ document: "{}", upstream: "pets" })
    const typed = {
      base_url: " https://pets.example.com ",
      private: "yes",
      credential: "header",
      header: "X-Key",
      price: "0.002",
      only: "GET /pets\n\n  cats \n",
      prefix: "zoo"
    }
    expect(read(typed).value).toEqual({
      document: "{}",
      upstream: "pets",
      base_url: "https://pets.example.com",
      private: true,
      credential: { header: "X-Key" },
      price: "0.002",
      only: ["GET /pets", "cats"],
      prefix: "zoo"
    })
    expect(read({ credential: "bearer" }).value?.credential).toEqual({})
  })
})
