import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { plan } from "../../src/config/plan.ts"
import { decoded, messagesOf } from "./decoded.ts"

const at = (protocol: string) => ({ baseUrl: `https://${protocol}.example.com`, protocol })
const upstreams = {
  openai: at("openai"),
  other: at("openai"),
  claude: at("anthropic"),
  gemini: at("gemini"),
  data: at("json")
}
const file = (...routes: ReadonlyArray<unknown>) => ({ upstreams, routes })
const to = (...names: ReadonlyArray<string>) => names.map((upstream) => ({ upstream }))

/** Operation, model, upstreams and fallbacks of each planned route. */
const planned = (...routes: ReadonlyArray<unknown>) =>
  Effect.runSync(plan(decoded(file(...routes))))
    .routes.map(({ fallback = [], model, operation, to }) => [
      operation,
      model,
      to.map(({ provider }) => provider.name).join(),
      fallback.map(({ provider }) => provider.name).join()
    ])
    .toSorted(([a], [b]) => String(a).localeCompare(String(b)))

describe("a route without an operation", () => {
  it("is for every operation of models that its upstreams execute, translated or not", () => {
    const translated = [
      ["chat.completions", "m*", "claude", ""],
      ["messages", "m*", "claude", ""],
      ["models.generate_content", "m*", "claude", ""],
      ["models.stream_generate_content", "m*", "claude", ""],
      ["responses", "m*", "claude", ""]
    ]
    expect(planned({ model: "m*", to: to("claude") })).toEqual(translated)
    const ids = planned({ model: "m", to: to("openai") }).map(([id]) => id)
    expect(ids).toEqual(expect.arrayContaining([...translated.map(([id]) => id), "embeddings"]))
    for (const other of ["messages.count_tokens", "models.embed_content", "rerank"]) expect(ids).not.toContain(other)
  })

  it("gives each operation only the upstreams that execute it", () => {
    const routes = planned({ model: "m", to: to("openai", "claude"), fallback: to("other", "gemini") })
    const some = ["chat.completions", "embeddings", "messages"]
    expect(routes.filter(([id]) => some.includes(String(id)))).toEqual([
      ["chat.completions", "m", "openai,claude", "other,gemini"],
      ["embeddings", "m", "openai", "other"],
      ["messages", "m", "openai,claude", "other,gemini"]
    ])
  })

  it("hands what it says of fields that cannot be expressed to its targets", () => {
    const [route] = Effect.runSync(
      plan(decoded(file({ model: "m", to: to("openai"), fallback: to("claude"), lossy: "drop" })))
    ).routes
    expect([route?.to[0]?.lossy, route?.fallback?.[0]?.lossy]).toEqual(["drop", "drop"])
  })

  it("yields to one of the operation for the same model, and comes before one for all models", () => {
    const routes = [
      { model: "m", to: to("openai") },
      { operation: "chat.completions", model: "m", to: to("other") },
      { operation: "responses", to: to("other") }
    ] as const
    const expected = [
      ["chat.completions", "m", "other", ""],
      ["embeddings", "m", "openai", ""],
      ["responses", undefined, "other", ""],
      ["responses", "m", "openai", ""]
    ]
    const some = ["chat.completions", "embeddings", "responses"]
    const own = (...routes: ReadonlyArray<unknown>) => planned(...routes).filter(([id]) => some.includes(String(id)))
    expect(own(...routes)).toEqual(expected)
    expect(own(...routes.toReversed())).toEqual(expect.arrayContaining(expected))
  })

  it("lists its model under the operations that take it", () => {
    const { models = [] } = Effect.runSync(plan(decoded(file({ model: "m", to: to("claude") }))))
    expect(models[0]?.operations?.toSorted()).toEqual([
      "chat.completions",
      "messages",
      "models.generate_content",
      "models.stream_generate_content",
      "responses"
    ])
  })
})

describe("a fallback", () => {
  it("is tried for all but a prompt that is too long, unless it says otherwise", () => {
    const fallback = [{ upstream: "other" }, { upstream: "openai", model: "big", when: ["too_long"] }]
    const [route] = decoded(file({ operation: "responses", to: to("openai"), fallback })).routes
    expect(route?.fallback?.map(({ when }) => when)).toEqual([
      ["rate_limited", "unreachable", "overloaded"],
      ["too_long"]
    ])
  })
})

describe("a route is rejected", () => {
  it.each([
    [
      "with neither operation nor model",
      { to: to("openai") },
      "routes[0]: a route needs an operation, a model or both; a model alone is for every operation that takes it"
    ],
    [
      "without an operation, to an upstream that executes none of models",
      { model: "m", to: to("data") },
      "routes[0].to[0].upstream: an upstream of the protocol json executes no operation of models; name the operation of this route"
    ],
    [
      "with a fallback that cannot execute its operation",
      { operation: "chat.completions", to: to("openai"), fallback: to("data") },
      /^routes\[0\]\.fallback\[0\]\.upstream: chat\.completions needs an upstream of the protocol openai/
    ],
    [
      "without an operation, and with a path",
      { model: "m", to: [{ upstream: "openai", path: "/v1/x" }] },
      "routes[0].to[0].path: a route without an operation is for several, each with a path of its own"
    ],
    [
      "that falls back to itself",
      { operation: "responses", model: "m", to: to("openai"), fallback: [{ upstream: "openai", model: "m" }] },
      "routes[0].fallback[0]: the same upstream and model as routes[0].to[0]: a call is sent to each once"
    ],
    [
      "that names an upstream twice",
      { operation: "responses", to: to("openai", "other", "openai") },
      "routes[0].to[2]: the same upstream and model as routes[0].to[0]: a call is sent to each once"
    ],
    [
      "with an unknown upstream",
      { operation: "responses", to: to("openai"), fallback: to("othr") },
      'routes[0].fallback[0].upstream: there is no such upstream; did you mean "other"?'
    ],
    [
      "with an unknown condition",
      { operation: "responses", to: to("openai"), fallback: [{ upstream: "other", when: ["rate_limit"] }] },
      /^routes\[0\]\.fallback\[0\]\.when\[0\]: expected .*rate_limited.*/
    ],
    [
      "with a condition that never holds",
      { operation: "responses", to: to("openai"), fallback: [{ upstream: "other", when: [] }] },
      "routes[0].fallback[0].when: expected at least one condition, found an empty list"
    ],
    [
      "with a weight of a fallback",
      { operation: "responses", to: to("openai"), fallback: [{ upstream: "other", weight: 2 }] },
      /^routes\[0\]\.fallback\[0\]\.weight: not a known key/
    ],
    [
      "with a choice of one",
      { operation: "responses", to: to("openai"), prefer: "fastest" },
      "routes[0].prefer: there is nothing to choose: to has one upstream; those of fallback keep their order"
    ],
    [
      "with a second attempt at what creates",
      { operation: "video.create", to: to("data"), paidAgain: "once" },
      "routes[0].paidAgain: video.create creates something, and is never sent a second time"
    ]
  ])("%s", (_, route, message) => {
    expect(messagesOf(file(route))).toEqual([
      message instanceof RegExp ? (expect.stringMatching(message) as unknown) : message
    ])
  })
})
