import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { doneBy, factorOf, intentOf, meansTheSame } from "../../../src/faces/tools/catalogue/intent.ts"
import { inTheirWords, subjectsOf } from "../../../src/faces/tools/catalogue/phrases.ts"
import { Ranking } from "../../../src/faces/tools/catalogue/Ranking.ts"
import { wordIndexOf } from "../../../src/faces/tools/catalogue/WordIndex.ts"
import { stem } from "../../../src/faces/tools/catalogue/words.ts"
import { bound } from "./catalogues.ts"

describe("what a query asks for", () => {
  it.each([
    ["delete a label", "delete"],
    ["show all labels", "list"],
    ["star a repository", "act"],
    ["comment on an issue", "act"],
    ["please merge the branches", "act"],
    ["find a label", "find"],
    ["labels on an issue", "list"],
    ["compress for my phone", "act"],
    ["find the labels", "list"],
    ["recent bugs of a project", "list"],
    ["labels", "list"],
    ["label", undefined],
    ["get an analytics page", "get"],
    ["file a bug", "create"],
    ["reopen a ticket", "update"],
    ["wipe the cache", "delete"],
    ["is the cache on", "check"],
    ["see whether my webhook works", "check"],
    ["tell me if it was sent", "check"],
    ["open tickets", "list"],
    ["open a ticket", "create"],
    ["what are the newest orders", "list"],
    ["orders a customer paid", "list"],
    ["what is the state of my orders", "get"],
    ["get the keys of a customer", "list"],
    ["get kiosks order", "get"],
    ["details of an order", "get"],
    ["order details", "get"],
    ["settings of one kiosk", "get"]
  ])("%s", (query, intent) => {
    expect(intentOf(query)).toBe(intent)
  })

  it("a question for yes or no prefers what says it, then what reads", () => {
    expect(doneBy({ ...bound("usage"), summary: "Check if a user follows another" })).toBe("check")
    const factors = (["check", "get", "read", "list", "create"] as const).map((done) => factorOf("check", done))
    expect(factors).toEqual([1.4, 1.25, 1.25, 1.1, 0.85])
  })

  it("to delete and to remove are the same, to create and to add are not", () => {
    expect(meansTheSame(stem("delete"), stem("remove"))).toBe(true)
    expect(meansTheSame(stem("create"), stem("add"))).toBe(false)
    expect(meansTheSame(stem("delete"), stem("update"))).toBe(false)
  })

  it("an order to do something prefers what changes something to what reads or removes", () => {
    const factors = (["create", "update", "get", "list", "delete"] as const).map((done) => factorOf("act", done))
    expect(factors).toEqual([1.2, 1.15, 0.85, 0.85, 1])
    expect(doneBy(bound("rerank"))).toBe("create")
  })

  it("who asks to see something is not given what changes it, and the reverse", () => {
    for (const wanted of ["get", "list", "find"] as const) {
      for (const done of ["create", "update", "put", "delete"] as const) expect(factorOf(wanted, done)).toBeLessThan(1)
      for (const done of ["get", "list", "read"] as const) expect(factorOf(wanted, done)).toBeGreaterThan(1)
    }
    for (const wanted of ["create", "update", "delete"] as const) {
      for (const done of ["get", "list", "read", "check"] as const) expect(factorOf(wanted, done)).toBeLessThan(1)
    }
  })

  it.each([
    ["GET", "/v1/customers", "get_customers", "Returns a list of your customers.", "list"],
    ["GET", "/v1/customers", "get_customers", "Get customers", "read"],
    ["GET", "/v1/customers/", "customers_of_shop", "Customers", "read"],
    ["GET", "/v1/customers/{id}/", "customers_one", "Customers", "get"],
    ["GET", "/v1/customers/{id}/balance", "customers_balance", "Customers", "read"],
    ["PATCH", "/v1/customers/{id}/", "customers_partial_update", "Customers", "update"],
    ["POST", "/v1/customers/{id}/end/", "customers_destroy", "Customers", "delete"],
    ["GET", "/v1/customers/{id}", "get_customers_id", "Retrieves a customer.", "get"],
    ["GET", "/v1/status", "get_status", "Get the status", "get"],
    ["POST", "/v1/customers", "post_customers", "Customers pay.", "create"],
    ["POST", "/v1/customers/{id}", "post_customers_id", "Customers pay.", "update"],
    ["POST", "/v1/customers/{id}/card", "post_card", "Detaches a card from a customer.", "delete"]
  ] as const)("%s %s, %s, %s: %s", (method, path, id, summary, done) => {
    expect(doneBy({ ...bound("usage"), method, path, id, summary })).toBe(done)
  })

  it("who only names a thing wants to see or make it, not to change it", () => {
    const factors = (["create", "list", "update", "delete"] as const).map((done) => factorOf(undefined, done))
    expect(factors).toEqual([1, 1, 0.9, 0.9])
  })

  it("a report without a verb of its own is read as one thing or as a list", () => {
    expect(doneBy(bound("usage"))).toBe("read")
    expect(factorOf("list", "read")).toBe(factorOf("list", "list"))
    expect(factorOf("get", "read")).toBeGreaterThan(factorOf("get", "list"))
    expect(factorOf("get", "read")).toBeLessThan(factorOf("get", "get"))
    const put = doneBy({ ...bound("rerank"), id: "secrets.create_or_update_secret" })
    for (const wanted of ["create", "update"] as const) expect(factorOf(wanted, put)).toBe(factorOf(wanted, wanted))
  })

  it.each([
    ["who am I logged in as", "get the authenticated user"],
    ["log in with a link", "login with a link"],
    ["how many requests do I have left", "how many rate limit status"],
    ["close my PRs", "close my pull requests"],
    ["close a PR without merging", "close a pull request "],
    ["information about a shop", "get a shop"],
    ["who is in this group", "list members users of this group"],
    ["hand over a shop", "transfer a shop"],
    ["stop following a shop", "remove unfollow follow a shop"],
    ["undo the star of a shop", "remove unstar star of a shop"],
    ["stop getting emails about a shop", "delete subscription notification about a shop"],
    ["add somebody to a team", "add member to a team"],
    ["take the label off a bug", "remove the label off a bug"],
    ["turn the alarm off", "disable the alarm off"],
    ["kick somebody out of a team", "remove member out of a team"],
    ["traffic of shop.example.com", "traffic of website"],
    ["comments under https://example.com/p/1?x=2 please", "comments under  please"],
    ["financial.metrics_snapshot", "financial.metrics_snapshot"],
    ["what kinds of parcels are there", "list parcel types are there"],
    ["people named Smith", "search people name Smith"],
    ["bring back an order", "restore an order"],
    ["take a lamp out of the shop", "remove a lamp out of the shop"],
    ["throw away an order", "remove away an order"],
    ["log a customer out", "revoke authorization a customer out"],
    ["log in", "login"],
    ["is my text too long", "is my text length size"],
    ["call our server when an order is paid", "create webhook an order is paid"],
    ["tell me when my order is paid", "tell me when my order is paid"],
    ["what's in my cart", "list contents items in my cart"],
    ["call off a meeting", "cancel a meeting"],
    ["send many letters at once", "send many letters batch bulk"],
    ["see a particular shop", "see a one shop"],
    ["copy a shop in the background", "copy a shop async asynchronous"]
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

it("a word that no document has is read by its parts", () => {
  const titles = ["Unblock a shop", "Block a shop", "List child shops", "List orders"]
  const documents = titles.map((text) => [{ kind: "title", weight: 3, text, isTitle: true }])
  const ranking = new Ranking(Effect.runSync(wordIndexOf(documents, (texts) => texts)))
  const first = (query: string) => titles[ranking.rank(query)[0]?.index ?? -1]
  expect(first("unban")).toBe("Unblock a shop")
  expect(first("subshops")).toBe("List child shops")
  expect(first("resort the orders")).toBe("List orders")
  expect(["block", "ban", "postpone"].map((word) => ranking.knows(stem(word)))).toEqual([true, true, false])
})

it("a word that many documents only mention stays rare", () => {
  const mentions = Array.from({ length: 20 }, () => [{ kind: "text", weight: 0.2, text: "parcel depot" }])
  const titled = [{ kind: "title", weight: 3, text: "depot" }]
  const { rarities } = Effect.runSync(wordIndexOf([...mentions, titled, titled, titled], (texts) => texts))
  const named = Array.from({ length: 20 }, () => [{ kind: "title", weight: 3, text: "parcel" }])
  const others = Effect.runSync(wordIndexOf([...named, titled, titled, titled], (texts) => texts)).rarities
  expect(rarities.get("parcel")).toBeGreaterThan(others.get("parcel") ?? 0)
})
