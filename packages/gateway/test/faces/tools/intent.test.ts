import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { doneBy, factorOf, intentOf } from "../../../src/faces/tools/catalogue/intent.ts"
import { inTheirWords, subjectsOf } from "../../../src/faces/tools/catalogue/phrases.ts"
import { Ranking } from "../../../src/faces/tools/catalogue/Ranking.ts"
import { wordIndexOf } from "../../../src/faces/tools/catalogue/WordIndex.ts"
import { bound } from "./catalogues.ts"

describe("what a query asks for", () => {
  it.each([
    ["delete a label", "delete"],
    ["show all labels", "list"],
    ["star a repository", "act"],
    ["comment on an issue", "act"],
    ["please merge the branches", "act"],
    ["find a label", undefined],
    ["find the labels", "list"],
    ["recent bugs of a project", "list"],
    ["labels", "list"],
    ["label", undefined],
    ["get an analytics page", "get"],
    ["file a bug", "create"],
    ["reopen a ticket", "update"],
    ["wipe the cache", "delete"]
  ])("%s", (query, intent) => {
    expect(intentOf(query)).toBe(intent)
  })

  it("an order to do something prefers what changes something to what reads or removes", () => {
    const factors = (["create", "update", "get", "list", "delete"] as const).map((done) => factorOf("act", done))
    expect(factors).toEqual([1.2, 1.15, 1, 1, 1])
    expect(doneBy(bound("rerank"))).toBe("create")
  })

  it("who only names a thing wants to see or make it, not to change it", () => {
    const factors = (["create", "list", "update", "delete"] as const).map((done) => factorOf(undefined, done))
    expect(factors).toEqual([1, 1, 0.9, 0.9])
  })

  it("a report without a verb of its own is read as one thing or as a list", () => {
    expect(doneBy(bound("usage"))).toBe("read")
    for (const wanted of ["get", "list"] as const) expect(factorOf(wanted, "read")).toBe(factorOf(wanted, wanted))
    const put = doneBy({ ...bound("rerank"), id: "secrets.create_or_update_secret" })
    for (const wanted of ["create", "update"] as const) expect(factorOf(wanted, put)).toBe(factorOf(wanted, wanted))
  })

  it.each([
    ["who am I logged in as", "get the authenticated user"],
    ["log in with a link", "login with a link"],
    ["how many requests do I have left", "how many rate limit status"],
    ["close my PRs", "close my pull request"],
    ["hand over a shop", "transfer a shop"],
    ["kick somebody out of a team", "remove somebody out of a team"],
    ["traffic of shop.example.com", "traffic of website"],
    ["comments under https://example.com/p/1?x=2 please", "comments under  please"],
    ["financial.metrics_snapshot", "financial.metrics_snapshot"]
  ])("is said in the words of interfaces: %s", (query, said) => {
    expect(inTheirWords(query)).toBe(said)
  })
})

it("a question of price is about prices, whatever it names", () => {
  expect([...subjectsOf("how expensive is a video")]).toEqual(["pric"])
  expect([...subjectsOf("a video")]).toEqual([])
})

it("a document whose whole title is in the query comes before one that says its words more often", () => {
  const document = (title: string, text: string) => [
    { kind: "title", weight: 3, text: title, isTitle: true },
    { kind: "text", weight: 1, text }
  ]
  const documents = [
    document(
      "Check if a parcel was sent",
      "Send: whether somebody did send a parcel, which parcel, and who may send it."
    ),
    document("Get the result of: send a parcel", "To send a parcel takes long. Send a parcel, then ask."),
    document("Send a parcel", "To the depot, with its address and its weight, before noon."),
    document("List depots", "")
  ]
  const ranking = new Ranking(Effect.runSync(wordIndexOf(documents, (texts) => texts)))
  expect(ranking.rank("send a parcel")[0]?.index).toBe(2)
})
