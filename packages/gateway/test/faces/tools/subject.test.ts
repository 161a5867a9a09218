import { describe, expect, it } from "vitest"
import { aboutness, asksForPeople, askedIn, subjectOf } from "../../../src/faces/tools/catalogue/subject.ts"
import { stem } from "../../../src/faces/tools/catalogue/words.ts"

describe("what a query is about", () => {
  it.each([
    ["labels on an issue", "label"],
    ["add a comment to a pull request", "comment"],
    ["which pull requests contain this commit", "request"],
    ["files changed in a pull request", "file"],
    ["find files containing a word", "file"],
    ["reopen a closed issue", "issue"],
    ["history of the orders of a customer", "order"],
    ["show me a customer's open invoices", "invoice"],
    ["delete a workflow run", "run"],
    ["how many labels are there", "label"]
  ])("%s", (query, noun) => {
    expect(askedIn(query, false)?.[0]).toBe(stem(noun))
  })

  it.each(["who may do it", "what may she do here", "how busy is the shop", "delete", "", "сколько"])(
    "is not said: %s",
    (query) => {
      expect(askedIn(query, false)).toBeUndefined()
    }
  )

  it("may be its verb: to comment is to make a comment", () => {
    expect(askedIn("comment on a parcel", true)).toEqual(["parcel", stem("comment")])
    expect(askedIn("assign a friend", false)?.[1]).toBe("assign")
    expect(askedIn("create a friend", false)?.[1]).toBeUndefined()
  })
})

describe("an operation is about", () => {
  const comments = subjectOf({ summary: "List comments of an order", path: "/orders/{id}/comments" })

  it("what its summary names first, and the last part of its path", () => {
    expect(comments.nouns).toEqual([stem("comment")])
    expect(subjectOf({ summary: "Creates a new coupon object.", path: "/v1/coupons/{id}" }).nouns).toEqual(["coupon"])
    const logs = subjectOf({ summary: "Delete workflow run logs", path: "/runs/{id}/logs" })
    expect([...logs.nouns, ...logs.modifiers]).toEqual(["log", "workflow", "run"])
  })

  it("people, if that is what its path ends with", () => {
    const isPeople = (path: string) => subjectOf({ summary: "List them", path }).isPeople
    for (const path of ["/shops/{id}/members", "/orders/{id}/requested_reviewers", "/people"]) {
      expect(isPeople(path), path).toBe(true)
    }
    for (const path of ["/orders", "/shops/{id}/folders/{name}", "/parcels"]) expect(isPeople(path), path).toBe(false)
    expect(["who watches it", "which users do", "what is it"].map(asksForPeople)).toEqual([true, true, false])
  })

  it("its noun more than about the words before it, and not about its place", () => {
    const about = (query: string, isOrder = false) => aboutness(query, isOrder)(comments)
    expect(about("comments of an order")).toBe(1)
    expect(about("replies")).toBeGreaterThan(0.5)
    expect(about("an order")).toBe(0)
    expect(about("comment on an order", true)).toBeGreaterThan(0.5)
    expect(about("who")).toBe(0)
    const ofLines = aboutness("an order", false)(subjectOf({ summary: "List order lines", path: "/lines" }))
    expect(ofLines).toBeGreaterThan(0)
    expect(ofLines).toBeLessThan(0.5)
  })
})
