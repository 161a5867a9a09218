import { defaults, fill } from "@tollgate/contract/Names"
import type { ToolCatalogue } from "@tollgate/tools/ToolCatalogue"
import { categoriesOf, detailsOf } from "@tollgate/tools/lookups"
import { catalogueOf, indexOf } from "@tollgate/testing/tools/catalogues"
import { describe, expect, it } from "vitest"
import { byAnother } from "./questions/byAnother.ts"
import { byModel } from "./questions/byModel.ts"
import { everyday, otherEveryday } from "./questions/everyday.ts"
import { later } from "./questions/later.ts"
import { heldBack, heldBackAmongMany } from "./questions/heldBack.ts"
import type { Question } from "./questions/Question.ts"
import { working, workingAmongMany } from "./questions/working.ts"

const alone = indexOf(catalogueOf(0))
const many = catalogueOf(1_000)
const amongMany = indexOf(many)

/** The questions that have no answer among the first five results. */
const missed = (index: ToolCatalogue, questions: ReadonlyArray<Question>): ReadonlyArray<string> =>
  questions.flatMap(([query, answers]) => {
    const wanted = new Set(answers.map((id) => fill(id, defaults)))
    return index.search(query).results.some(({ operation_id }) => wanted.has(operation_id)) ? [] : [query]
  })

describe("everyday questions find their operation", () => {
  it.each([
    [
      "the operations of the contract",
      alone,
      [...working, ...everyday, ...otherEveryday, ...later, ...heldBack, ...byAnother, ...byModel]
    ],
    ["1,000 others among them", amongMany, [...byModel, ...workingAmongMany, ...heldBackAmongMany]]
  ] as const)("%s: at least 97 % in the first five", (_, index, questions) => {
    const without = missed(index, questions)
    expect(without.length / questions.length, without.join("\n")).toBeLessThanOrEqual(0.03)
  })

  it("those of price, balance and limits find the price list, the balance and the usage", () => {
    const first = (query: string) => amongMany.search(query).results[0]?.operation_id
    for (const query of ["pricing", "what does it cost"]) expect(first(query), query).toBe("account.prices")
    for (const query of ["my balance", "what is left to spend"]) expect(first(query), query).toBe("account.balance")
    expect(first("what was I charged")).toBe("usage")
  })
})

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

describe("what the free tools return is short", () => {
  it("five results of a search have at most 2 kB", () => {
    for (const [query] of [...working, ...workingAmongMany]) {
      for (const index of [alone, amongMany]) {
        const results = index.search(query, { limit: 5 }).results
        expect(bytesOf({ results }), query).toBeLessThanOrEqual(2_000)
      }
    }
  })

  it("details have at most 6 kB, and all of them on request", () => {
    for (const { id } of many.bound) {
      const details = amongMany.details(id)
      if (details === undefined) throw new Error(`no details of ${id}`)
      const short = detailsOf(details)
      expect(bytesOf(short), id).toBeLessThanOrEqual(6_000)
      expect(Object.keys((short.input_schema as { properties: object }).properties)).toEqual(
        Object.keys(details.input_schema["properties"] as object)
      )
      expect(detailsOf(details, { full: true }).input_schema).toBe(details.input_schema)
    }
  })

  it("arguments that are shown in outline are whole if they are named", () => {
    const argument = { type: "object", properties: { name: { type: "string", description: "x".repeat(4_000) } } }
    const details = amongMany.details("rerank")!
    const large = {
      ...details,
      input_schema: { type: "object", properties: { one: argument, two: { type: "string" } } }
    }
    expect(detailsOf(large)).toMatchObject({
      input_schema: { properties: { one: { type: "object" }, two: { type: "string" } } },
      note: expect.stringContaining("Of one only an outline") as unknown
    })
    expect(bytesOf(detailsOf(large))).toBeLessThan(1_000)
    expect(detailsOf(large, { fields: ["none"] })).toMatchObject({
      note: expect.stringMatching(/^The input schema does not describe none\. Of one only/) as unknown
    })
    expect(detailsOf(large, { fields: ["one"] }).input_schema).toMatchObject({ properties: { one: argument } })
  })

  it("categories that only the operator knows have no description that says nothing", () => {
    const { categories } = categoriesOf(amongMany.categories(), { limit: 100 })
    const described = categories.filter(({ description }) => description !== undefined).map(({ name }) => name)
    expect(described).toEqual(categoriesOf(alone.categories(), { limit: 100 }).categories.map(({ name }) => name))
    expect(categories.length).toBeGreaterThan(described.length)
  })

  it("55 categories come in pages of 20, in at most 5 kB each", () => {
    const entries = Array.from({ length: 55 }, (_, i) => ({
      name: `category ${String(i).padStart(2, "0")}`,
      description: "What the operations of this category do, in a sentence of some length.",
      count: 20,
      free: 1,
      pending: 0,
      prices: [{ per: "call", from: 0.001, to: 0.25 }]
    }))
    const names: Array<string> = []
    let after = ""
    for (const size of [20, 20, 15]) {
      const page = categoriesOf(entries, { after })
      expect(page.categories).toHaveLength(size)
      expect(bytesOf(page)).toBeLessThanOrEqual(5_000)
      names.push(...page.categories.map(({ name }) => name))
      after = names.at(-1) ?? ""
      expect(page.note?.includes(after) ?? false).toBe(size === 20 && names.length < 55)
    }
    expect(names).toEqual(entries.map(({ name }) => name))
  })
})
