import { describe, expect, it } from "@effect/vitest"
import { type Parts, partsOf } from "../src/parts.ts"

const answer = {
  id: "a",
  data: {
    next: null,
    items: [
      { id: 1, tags: ["x", "y"], by: { name: "Ann" } },
      { id: 2, tags: [], by: { name: "Bob" } },
      { id: 3, by: null }
    ]
  },
  ["__proto__"]: { polluted: true }
}

const parts = (...paths: ReadonlyArray<string>): Parts => {
  const made = partsOf(paths)
  if (typeof made === "object") throw new Error(made.message)
  return made
}

const taken = (...paths: ReadonlyArray<string>) => parts(...paths)(answer)

describe("the parts of an answer that a caller names", () => {
  it.each<readonly [ReadonlyArray<string>, unknown]>([
    [["id"], { id: "a" }],
    [[".id"], { id: "a" }],
    [["data.next"], { data: { next: null } }],
    [["data.items[].id"], { data: { items: [{ id: 1 }, { id: 2 }, { id: 3 }] } }],
    [["data.items[*].id"], { data: { items: [{ id: 1 }, { id: 2 }, { id: 3 }] } }],
    [["data.items.id"], { data: { items: [{ id: 1 }, { id: 2 }, { id: 3 }] } }],
    [["data.items[1].id"], { data: { items: [{ id: 2 }] } }],
    [["data.items[1:].id"], { data: { items: [{ id: 2 }, { id: 3 }] } }],
    [["data.items[:1].id"], { data: { items: [{ id: 1 }] } }],
    [["data.items[0:1].id", "data.items[1:2].id"], { data: { items: [{ id: 1 }, { id: 2 }] } }],
    [["data.items[].by.name"], { data: { items: [{ by: { name: "Ann" } }, { by: { name: "Bob" } }] } }],
    [["data.items[0].tags[1:]"], { data: { items: [{ tags: ["y"] }] } }],
    [["id", "data.items[2].by"], { id: "a", data: { items: [{ by: null }] } }],
    [["data", "data.items[].id"], { data: answer.data }],
    [["data.items[].id", "data"], { data: answer.data }]
  ])("%j", (paths, expected) => {
    expect(taken(...paths)).toEqual({ value: expected, note: undefined })
  })

  it("of a list at the top", () => {
    expect(parts("[].id")([{ id: 1, name: "x" }, 7])).toEqual({ value: [{ id: 1 }], note: undefined })
    expect(parts("[1:]")([1, 2, 3]).value).toEqual([2, 3])
    expect(parts("id")([])).toMatchObject({ value: [], note: expect.stringContaining("list of 0 items") as unknown })
  })

  it("that it does not have are named, and so is what it has", () => {
    const { note, value } = taken("id", "data.total", "data.items[9:].id")
    expect(value).toEqual({ id: "a" })
    expect(note).toContain("data.total, data.items[9:].id")
    expect(note).toContain("It has: id, data")
    expect(taken("id.length").value).toEqual({})
    expect(taken("constructor", "toString").value).toEqual({})
  })

  it("keep a field that is called __proto__ a field", () => {
    const { value } = taken("__proto__")
    expect(Object.keys(value as object)).toEqual(["__proto__"])
    expect(value).not.toHaveProperty("polluted")
  })

  it.each(["", ".", "a..b", "a.", "a[", "a]", "a[x]", "a[-1]", "a[1:2:3]", "a[]b", "[", "a.[]", "a[9999999999]"])(
    "must be a path: %j",
    (path) => {
      expect(partsOf(["id", path])).toMatchObject({
        code: "invalid_arguments",
        outcome: "not executed",
        param: "fields"
      })
    }
  )
})
