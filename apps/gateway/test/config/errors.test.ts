import { defaults } from "@tollgate/contract/Names"
import { defaultGrantPolicy } from "@tollgate/gateway/driver"
import { describe, expect, it } from "vitest"
import { decoded, errorsOf, messagesOf } from "./decoded.ts"

const amount = 'expected an amount of USD in quotes, with at most nine decimals, such as "0.05"'
const prices = (operations: unknown) => ({ prices: { operations } })

describe("a configuration file", () => {
  it("has the defaults if it is empty", () => {
    const { digest, prices: _, ...rest } = decoded("{}")
    expect(rest).toEqual({
      sections: {},
      names: defaults,
      bindings: {},
      upstreams: {},
      routes: [],
      models: [],
      operations: [],
      cachedAnswers: new Map(),
      platform: undefined,
      operators: { provider: undefined, refundLimit: 10_000_000n, sharedToken: true },
      payments: undefined,
      salesData: undefined,
      toolOrigins: [],
      oauth: {},
      issuer: undefined,
      grantPolicy: defaultGrantPolicy,
      webhooks: [],
      upstreamRpm: undefined,
      reservationWaitSeconds: undefined,
      replayByDefault: false,
      signupCredit: undefined,
      sandbox: true,
      written: {}
    })
    expect(digest).toMatch(/^[0-9a-f]{64}$/)
  })

  it("is decoded", () => {
    const config = decoded(`{
      "names": { "provider": "Acme" }, // one of six
      "bindings": { "images.generate": { "path": "/v1/images" }, },
      "limits": { "upstreamRpm": 7, "reservationWaitSeconds": 0 }, "replayByDefault": true, "signupCredit": "1.000001",
      "models": [{ "id": "m" }]
    }`)
    expect(config).toMatchObject({
      names: { provider: "Acme", reseller: "reseller" },
      bindings: { "images.generate": { path: "/v1/images" } },
      models: [{ id: "m" }],
      upstreamRpm: 7,
      reservationWaitSeconds: 0,
      replayByDefault: true,
      signupCredit: 1_000_001n
    })
  })

  it.each([
    ["a list", [], "expected an object, found an empty list"],
    ["an unknown key", { naems: {} }, 'naems: not a known key; did you mean "names"?'],
    [
      "an unknown key like no other",
      { limits: { requests: 1 } },
      "limits.requests: not a known key; expected upstreamRpm, reservationWaitSeconds"
    ],
    ["null", { names: null }, "names: expected an object, found null"],
    [
      "an invalid name",
      { names: { social_a: "a/b" } },
      /^names\.social_a: expected letters.*found a string of another form$/
    ],
    ["an empty name", { names: { social_a: "" } }, /^names\.social_a: expected letters.*found an empty string$/],
    [
      "an unknown operation in bindings",
      { bindings: { "image.generate": {} } },
      /^bindings\["image\.generate"\]: .*"images\.generate"\?$/
    ],
    [
      "an unknown operation in prices",
      prices({ "chat.completion": "free" }),
      'prices.operations["chat.completion"]: not a known key; did you mean "chat.completions"?'
    ],
    ...[0, -1, 1.5, 100_000_001].map((above): [string, unknown, string] => [
      `a threshold of ${above}`,
      { prices: { models: { m: { input: "1", output: "2", longPrompt: { above, input: "2" } } } } },
      `prices.models.m.longPrompt.above: expected a whole number from 1 to 100000000, found ${above}`
    ]),
    [
      "a threshold in quotes",
      { prices: { models: { m: { input: "1", output: "2", longPrompt: { above: "5" } } } } },
      "prices.models.m.longPrompt.above: expected a whole number from 1 to 100000000, found a string"
    ],
    [
      "a price of long prompts without a threshold",
      { prices: { models: { m: { input: "1", output: "2", longPrompt: { input: "2" } } } } },
      "prices.models.m.longPrompt.above: is missing: expected a whole number from 1 to 100000000"
    ],
    [
      "an unknown part of a price of long prompts",
      { prices: { models: { m: { input: "1", output: "2", longPrompt: { above: 5, outputs: "2" } } } } },
      'prices.models.m.longPrompt.outputs: not a known key; did you mean "output"?'
    ],
    [
      "a default tier without a price",
      { prices: { models: { m: { input: "1", output: "2", defaultTier: "fast" } } } },
      'prices.models.m: expected a "defaultTier" that has a price in "tiers", found an object'
    ],
    [
      "a tier without a price in it",
      { prices: { models: { m: { input: "1", output: "2", tiers: { fast: {} } } } } },
      'prices.models.m.tiers.fast: expected a factor in quotes, such as "0.5", or prices such as { "input": "2" }, found an object'
    ],
    [
      "an empty span of the day",
      { prices: { models: { m: { input: "1", output: "2", periods: [{ hours: ["00:00-00:00"], rates: "2" }] } } } },
      'prices.models.m.periods[0].hours[0]: expected a span that is not empty; leave "hours" out for the whole day, found a string of another form'
    ],
    [
      "a day that the month does not have",
      { prices: { models: { m: { input: "1", output: "2", periods: [{ from: "2026-02-31", rates: "2" }] } } } },
      "prices.models.m.periods[0].from: expected a day that the month has, found a string of another form"
    ],
    [
      "an amount that is a number",
      prices({ "chat.completions": { models: { sandbox: { input: 0.5, output: "1" } } } }),
      `prices.operations["chat.completions"].models.sandbox.input: ${amount}, found a number`
    ],
    [
      "an invalid amount",
      prices({ rerank: { perMillion: "-1" } }),
      `prices.operations.rerank.perMillion: ${amount}, found a string of another form`
    ],
    [
      "too many decimals",
      prices({ rerank: { perMillion: "0.0000000001" } }),
      `prices.operations.rerank.perMillion: ${amount}, found a string of another form`
    ],
    ["a missing amount", prices({ rerank: {} }), `prices.operations.rerank.perMillion: is missing: ${amount}`],
    [
      "a price of the wrong type",
      prices({ rerank: 5 }),
      'prices.operations.rerank: expected { "perMillion": … } or "free", found a number'
    ],
    [
      "a misspelled free",
      prices({ rerank: "Free" }),
      'prices.operations.rerank: expected { "perMillion": … } or "free", found a string; did you mean "free"?'
    ],
    [
      "a price per call without an amount",
      prices({ "video.create": { contract: "per_request" } }),
      `prices.operations["video.create"].amount: is missing: ${amount}`
    ],
    [
      "a reported cost without a most",
      prices({ rerank: { contract: "reported_cost", cost: "usage.cost", factor: "1.45" } }),
      `prices.operations.rerank.most: is missing: ${amount}`
    ],
    [
      "a price for a free operation",
      prices({ usage: { amount: "1" } }),
      'prices.operations.usage: expected "free", because this operation cannot have a price, found an object'
    ],
    [
      "a page of zero items",
      prices({ "social_b.post_comments": { perItem: "1", most: 0 } }),
      'prices.operations["social_b.post_comments"].most: expected a whole number from 1 to 1000000, found 0'
    ],
    [
      "a star in the middle",
      { prices: { models: { "a*b": { input: "1", output: "1" } } } },
      /^prices\.models\["a\*b"\]: not a valid key: expected a model's name/
    ],
    [
      "a credit with seven decimals",
      { signupCredit: "0.0000001" },
      /^signupCredit: expected an amount.*at most six decimals/
    ],
    ["a string for a boolean", { replayByDefault: "yes" }, "replayByDefault: expected true or false, found a string"],
    [
      "a fractional limit",
      { limits: { upstreamRpm: 1.5 } },
      /^limits\.upstreamRpm: expected a whole number .*found 1\.5$/
    ]
  ])("reports %s in one line", (_, file, message) => {
    const [only, ...others] = messagesOf(file)
    expect(others).toEqual([])
    if (typeof message === "string") expect(only).toBe(message)
    else expect(only).toMatch(message)
  })

  it("uses the names that it sets in operation ids", () => {
    const names = { social_a: "chirper" }
    const quotes = (id: string) => ({ names, ...prices({ [id]: { amount: "1" } }) })
    expect(decoded(quotes("chirper.tweet_quotes")).names.social_a).toBe("chirper")
    expect(messagesOf(quotes("social_a.tweet_quotes"))).toHaveLength(1)
  })

  it("reports the first ten errors with their positions, in order", () => {
    const file = '{\n  "signupCredit": 5,\n  "names": { "a": 1 },\n  "nmes": 1, "names": {}\n}'
    expect(errorsOf(file)).toEqual([
      expect.stringMatching(/^f:2:3: signupCredit: /),
      expect.stringMatching(/^f:4:3: nmes: /),
      "f:4:14: names: the object has this key twice"
    ])
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`zzzzzz${i}`, 1]))
    const lines = errorsOf(many)
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe("and 2 more")
  })

  it("reports the position of invalid JSON", () => {
    expect(errorsOf('{\n  "names": {\n}')).toEqual([
      "f:3:2: not JSON: expected a comma or }, found the end of the file"
    ])
  })
})
