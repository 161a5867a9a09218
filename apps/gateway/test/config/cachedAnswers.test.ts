import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { plan } from "../../src/config/plan.ts"
import { decoded, errorsOf, messagesOf } from "./decoded.ts"

const weather = {
  id: "weather.forecast",
  summary: "The forecast",
  method: "GET",
  path: "/apis/v1/weather",
  price: { amount: "0.01" },
  upstream: "weather",
  category: "finance"
}
const upstreams = { weather: { baseUrl: "https://weather.example", protocol: "json" } }
const terms = { seconds: 60, price: 0.1 }
const kept = (id: string, of: unknown = terms) => ({ cachedAnswers: { [id]: of } })

describe("kept answers in the configuration", () => {
  it("are allowed for operations of the contract and for the operator's own", () => {
    const config = decoded({
      upstreams,
      operations: [weather],
      cachedAnswers: {
        rerank: { seconds: 3600, price: 0 },
        "weather.forecast": { seconds: 2_592_000, price: 0.000001 }
      }
    })
    const { catalogue } = Effect.runSync(plan(config))
    expect(catalogue.byId.get("rerank")?.kept).toEqual({ seconds: 3600, share: 0n })
    expect(catalogue.byId.get("weather.forecast")?.kept).toEqual({ seconds: 2_592_000, share: 1n })
    expect(catalogue.byId.get("chat.completions")?.kept).toBeUndefined()
  })

  it.each([
    ["an unknown operation", "rerankk", /no such operation; did you mean "rerank"\?$/],
    ["one that the gateway answers", "models.list", /the gateway answers this operation itself/],
    ["one that starts tasks", "video.create", /starts a task each time/],
    ["one for a linked user", "social_a.follow", /acts for a linked user/],
    ["one that only streams", "models.stream_generate_content", /always streams/],
    ["a name of Object's", "__proto__", /no such operation$|not a known key/]
  ])("are refused for %s", (_, id, message) => {
    const file = `{ "cachedAnswers": {\n ${JSON.stringify(id)}: { "seconds": 60, "price": 0.1 } } }`
    expect(errorsOf(file)).toEqual([expect.stringMatching(/^f:2:\d+: cachedAnswers/)])
    expect(messagesOf(file)).toEqual([expect.stringMatching(message)])
  })

  it("are refused for an own operation that creates something", () => {
    const creating = { ...weather, method: "POST", price: "free" }
    expect(messagesOf({ upstreams, operations: [creating], ...kept("weather.forecast") })).toEqual([
      expect.stringContaining("creates something")
    ])
  })

  it.each([
    ["no price", { seconds: 60 }],
    ["no lifetime", { price: 0 }],
    ["a price above the call's own", { seconds: 60, price: 1.5 }],
    ["a negative price", { seconds: 60, price: -0.1 }],
    ["too many decimals", { seconds: 60, price: 0.0000001 }],
    ["a price in quotes", { seconds: 60, price: "0.1" }],
    ["a lifetime of zero", { seconds: 0, price: 0 }],
    ["half a second", { seconds: 0.5, price: 0 }],
    ["more than thirty days", { seconds: 2_592_001, price: 0 }],
    ["an unknown key", { ...terms, ttl: 1 }]
  ])("are refused with %s", (_, of) => {
    expect(messagesOf(kept("rerank", of))).toHaveLength(1)
  })
})
