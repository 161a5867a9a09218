import { usd } from "@tollgate/contract/Money"
import { defaults, fill } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { modelsOf } from "@tollgate/contract/price/Price"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { pricing } from "../../src/config/plan.ts"
import { decoded, messagesOf } from "./decoded.ts"

const env = { OPENAI_API_KEY: "sk-s3cret", EMPTY: "", BLANK: "s3cret \n" }
const openai = { baseUrl: "https://api.example.com", protocol: "openai" }
const upstreams = (parts: object) => ({ upstreams: { up: { ...openai, ...parts } } })
const upstream = (parts: object) => {
  const { up } = decoded(upstreams(parts), env).upstreams
  if (up === undefined) throw new Error("no upstream")
  return up
}
const sent = (parts: object): string => {
  const { credential } = upstream({ credential: { env: "OPENAI_API_KEY" }, ...parts })
  return credential === undefined ? "" : `${credential.header}: ${Redacted.value(credential.value)}`
}

describe("an upstream", () => {
  it("has defaults", () => {
    expect(upstream({ baseUrl: "https://api.example.com/v2//" })).toEqual({
      name: "up",
      baseUrl: "https://api.example.com/v2",
      protocol: "openai",
      private: false,
      trace: false,
      headers: { "user-agent": expect.stringMatching(/^tollgate\/./) as unknown },
      forwardedHeaders: [],
      breaker: true,
      deadlineMillis: 60_000,
      idleMillis: 30_000,
      answerBytes: 33_554_432,
      eventBytes: 1_048_576,
      connections: 256
    })
  })

  it("has the configured values", () => {
    const { answerBytes, connections, deadlineMillis, eventBytes, headers, idleMillis, rpm } = upstream({
      timeouts: { answer: "2 minutes", idle: "500 millis" },
      headers: { "X-Org": "a b" },
      answerBytes: 1000,
      eventBytes: 100,
      connections: 10,
      rpm: 5
    })
    expect([headers["x-org"], rpm]).toEqual(["a b", 5])
    expect([answerBytes, eventBytes, connections]).toEqual([1000, 100, 10])
    expect([deadlineMillis, idleMillis]).toEqual([120_000, 500])
  })

  it("may have a health check, from once a second to once an hour", () => {
    const every = (every: string) => ({ health: { path: "/health", every } })
    expect(upstream(every("10 seconds")).health).toEqual({ path: "/health", everyMillis: 10_000 })
    expect(upstream(every("1 hour")).health?.everyMillis).toBe(3_600_000)
    const message = "upstreams.up.health.every: expected a time from 1 second to 1 hour"
    for (const wrong of ["999 millis", "61 minutes"]) expect(messagesOf(upstreams(every(wrong)))).toEqual([message])
  })

  it("may have prices of its own, which are only those that the file says", () => {
    const file = {
      ...upstreams({
        prices: {
          models: { "gpt-*": { input: "1", output: "2" }, "gpt-big": { input: "3", output: "4" } },
          operations: {
            "images.generate": { amount: "0.02" },
            "chat.completions": { models: { own: { input: "5", output: "6" } } }
          }
        }
      }),
      bindings: { "images.generate": { path: "/v1/images/generations" } },
      prices: {
        models: { ours: { input: "9", output: "9" } },
        operations: { rerank: { perMillion: "1" }, "chat.completions": { contract: "per_request", amount: "0.01" } }
      }
    }
    const config = decoded(file, env)
    const { contract } = pricing(config)
    const costs = config.upstreams.up?.prices
    const priceOf = (id: string, model?: string) => {
      const operation = contract.byId.get(id)
      if (operation === undefined || costs === undefined) throw new Error(id)
      return costs.of(operation, model)
    }
    const inputOf = (id: string, model: string) => modelsOf(priceOf(id, model))[model]?.input
    expect([inputOf("chat.completions", "gpt-small"), inputOf("messages", "gpt-big")]).toEqual([usd("1"), usd("3")])
    expect(inputOf("messages", "gpt-big-2026-08-01")).toBe(usd("3"))
    expect([inputOf("chat.completions", "own"), inputOf("messages", "own")]).toEqual([usd("5"), undefined])
    expect(priceOf("images.generate")).toMatchObject({ contract: "per_request", amount: usd("0.02") })
    expect([priceOf("messages", "ours"), priceOf("chat.completions"), priceOf("rerank")]).toEqual([
      undefined,
      undefined,
      undefined
    ])
    expect(upstream({}).prices).toBeUndefined()
  })

  it("has prices without mistakes", () => {
    for (const prices of [
      { models: { a: { input: "-1", output: "1" } } },
      { models: { a: { input: 1, output: "1" } } },
      { operations: { unheard: { amount: "1" } } },
      { unpriced: "pass" },
      []
    ]) {
      const [message, ...others] = messagesOf(upstreams({ prices }), env)
      expect([message?.startsWith("upstreams.up.prices"), others.length], message).toEqual([true, 0])
    }
  })

  it("may say where its tasks report the cost of a canceled one", () => {
    const setting = (canceledCost: object) => upstream({ protocol: "task", canceledCost }).canceledCost
    expect(setting({ path: "usage.cost" })).toEqual({ path: ["usage", "cost"] })
    expect(setting({ path: "seconds", perUnit: "0.02" })).toEqual({ path: ["seconds"], perUnit: 20_000_000n })
    for (const canceledCost of [{ path: "" }, { path: "usage..cost" }, { path: ["usage"] }, { perUnit: "1" }]) {
      expect(messagesOf(upstreams({ canceledCost }), env)).toHaveLength(1)
    }
  })

  it.each([
    [{}, "authorization: Bearer sk-s3cret"],
    [{ protocol: "json" }, "authorization: Bearer sk-s3cret"],
    [{ protocol: "task" }, "authorization: Bearer sk-s3cret"],
    [{ protocol: "anthropic" }, "x-api-key: sk-s3cret"],
    [{ protocol: "gemini" }, "x-goog-api-key: sk-s3cret"],
    [{ credential: { env: "OPENAI_API_KEY", header: "X-Token" } }, "x-token: sk-s3cret"],
    [{ credential: { env: "OPENAI_API_KEY", scheme: "Token" } }, "authorization: Token sk-s3cret"],
    [
      { protocol: "gemini", credential: { env: "OPENAI_API_KEY", header: "authorization" } },
      "authorization: Bearer sk-s3cret"
    ]
  ])("%j: its credential is sent in the protocol's header", (parts, header) => {
    expect(sent(parts)).toBe(header)
  })

  it("sends the protocol's version header, which can be overridden", () => {
    expect(upstream({ protocol: "anthropic" }).headers).toMatchObject({ "anthropic-version": "2023-06-01" })
    expect(upstream({ protocol: "anthropic", headers: { "Anthropic-Version": "2" } }).headers).toMatchObject({
      "anthropic-version": "2"
    })
  })

  it.each([
    "Transfer-Encoding",
    "Content-Length",
    "Content-Type",
    "Accept-Encoding",
    "Expect",
    "Upgrade",
    "Connection",
    "Keep-Alive",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Host",
    "X-Request-Id",
    "__proto__"
  ])("sends its credential not as %s, nor another value", (header) => {
    const problem = "the gateway sets this header itself"
    expect(messagesOf(upstreams({ credential: { env: "OPENAI_API_KEY", header } }), env)).toEqual([
      `upstreams.up.credential.header: ${problem}`
    ])
    const [told] = messagesOf(upstreams({ headers: Object.fromEntries([[header, "s3cret"]]) }), env)
    expect(told).toContain(problem)
  })

  it("never prints its credential", () => {
    const shown = upstream({ credential: { env: "OPENAI_API_KEY" } })
    expect(inspect(shown, { depth: 9 }) + JSON.stringify(shown)).not.toContain("s3cret")
  })

  it.each(["https://1.1.1.1", "https://h:8443/v1", "https://[2606:4700::1111]"])("may be at %s", (baseUrl) => {
    expect(upstream({ baseUrl }).baseUrl).toBe(baseUrl)
  })

  const privateAddresses = [
    "https://127.0.0.1",
    "http://localhost:11434",
    "http://localhost.",
    "https://a.localhost",
    "https://10.1.2.3",
    "https://172.31.0.1",
    "https://192.168.1.1",
    "https://169.254.169.254",
    "https://[::1]",
    "https://[fd00::1]",
    "https://[febf::1]",
    "https://[::ffff:127.0.0.1]",
    "https://2130706433",
    "https://224.0.0.1",
    "https://203.0.113.9",
    "https://[2002:7f00:1::]",
    "https://[64:ff9b::10.0.0.1]"
  ]
  it.each(privateAddresses)("may be at %s only with private: true", (baseUrl) => {
    expect(messagesOf(upstreams({ baseUrl }))).toEqual([
      'upstreams.up.baseUrl: this address is private; set "private": true to allow it'
    ])
    expect(upstream({ baseUrl, private: true }).private).toBe(true)
  })

  it("needs https unless private or insecure is set", () => {
    const baseUrl = "http://api.example.com"
    expect(messagesOf(upstreams({ baseUrl }))).toEqual([expect.stringMatching(/baseUrl: use https; or set "private"/)])
    expect(upstream({ baseUrl, insecure: true }).baseUrl).toBe(baseUrl)
    expect(upstream({ baseUrl, private: true }).baseUrl).toBe(baseUrl)
  })

  it.each([
    ["an address with another scheme", { baseUrl: "ftp://h" }, /baseUrl: expected an address that starts with https:/],
    [
      "an address without a scheme",
      { baseUrl: "api.example.com" },
      /baseUrl: expected an address that starts with https:/
    ],
    ["a space", { baseUrl: " https://h" }, /baseUrl: expected an address that starts with https:/],
    ["a password", { baseUrl: "https://u:s3cret@h" }, /baseUrl: the address must not contain a user or password/],
    ["a query", { baseUrl: "https://h?key=s3cret" }, /baseUrl: expected an address without a query or fragment$/],
    ["a fragment", { baseUrl: "https://h#" }, /baseUrl: expected an address without a query or fragment$/],
    [
      "an unknown protocol",
      { protocol: "opnai" },
      /protocol: expected "openai" or .*found a string; did you mean "openai"\?$/
    ],
    [
      "a credential in the file",
      { credential: "sk-s3cret" },
      /credential: expected \{ "env": "NAME" \} or \{ "file": "\/path" \}: a credential is read from there only.*found a string$/
    ],
    [
      "a credential instead of a variable name",
      { credential: { env: "sk-s3cret" } },
      /env: expected the name of an environment/
    ],
    ["a credential in lower case", { credential: { env: "s3cret" } }, /env: expected the name of an environment/],
    ["a credential as a value", { credential: { env: "A", value: "s3cret" } }, /credential\.value: not a known key/],
    ["a credential instead of a path", { credential: { file: "sk-s3cret" } }, /file: expected the path of a file/],
    ["no source of a credential", { credential: {} }, /credential: either "env" or "file" is expected$/],
    [
      "two sources of a credential",
      { credential: { env: "OPENAI_API_KEY", file: "/run/x" } },
      /credential: either "env" or "file" is expected$/
    ],
    ["a file that is not there", { credential: { file: "/run/none" } }, /credential\.file: the file cannot be read: /],
    [
      "a second one not set",
      { credential: { env: "OPENAI_API_KEY", second: { env: "NOT_SET" } } },
      /credential\.second\.env: the environment variable NOT_SET is not set$/
    ],
    ["a variable not set", { credential: { env: "NOT_SET" } }, /env: the environment variable NOT_SET is not set$/],
    ["an empty variable", { credential: { env: "EMPTY" } }, /env: the environment variable EMPTY is not set$/],
    [
      "a variable with two lines",
      { credential: { env: "BLANK" } },
      /variable BLANK must contain only printable characters/
    ],
    ["a secret header", { headers: { "X-Api-Key": "s3cret" } }, /headers\["X-Api-Key"\]: a credential goes into/],
    [
      "a header that the gateway sets",
      { headers: { Host: "h" } },
      /headers\.Host: the gateway sets this header itself$/
    ],
    [
      "an invalid header name",
      { headers: { "a b": "c" } },
      /headers\["a b"\]: not a valid key: expected the name of a header$/
    ],
    ["a header value with two lines", { headers: { a: "s3cret\nb: c" } }, /headers\.a: expected printable ASCII/],
    [
      "a time that is a number",
      { timeouts: { answer: 60 } },
      /timeouts\.answer: expected a time in quotes, .*a number$/
    ],
    ["a timeout of zero", { timeouts: { idle: "0 seconds" } }, /timeouts\.idle: expected a time in quotes/],
    ["an rpm of zero", { rpm: 0 }, /rpm: expected a whole number from 1 to 1000000, found 0$/]
  ])("is rejected for %s", (_, parts, message) => {
    const [only, ...others] = messagesOf(upstreams(parts), env)
    expect(others).toEqual([])
    expect(only).toMatch(message)
    expect(only).toMatch(/^upstreams\.up\./)
    expect(only).not.toContain("s3cret")
  })
})

describe("the sandbox", () => {
  it("is on by default only without upstreams", () => {
    expect(decoded({}).sandbox).toBe(true)
    expect(decoded(upstreams({})).sandbox).toBe(false)
    expect(decoded({ ...upstreams({}), sandbox: true }).sandbox).toBe(true)
    expect(decoded({ sandbox: false }).sandbox).toBe(false)
    expect(messagesOf({ sandbox: "yes" })).toEqual(["sandbox: expected true or false, found a string"])
  })
})

describe("a route", () => {
  const target = { upstream: "up" }
  const routes = (...routes: ReadonlyArray<unknown>) => ({ upstreams: { up: openai }, routes })

  it("has a default weight of 1", () => {
    const to = [{ upstream: "up" }, { upstream: "up", weight: 3, model: "m", path: "/v1/x" }]
    expect(decoded(routes({ operation: "rerank", to })).routes).toEqual([
      { operation: "rerank", to: [{ upstream: "up", weight: 1 }, to[1]] }
    ])
  })

  it.each([
    [
      "an operation",
      { operation: "chat.completion", to: [target] },
      /^routes\[0\]\.operation: .*did you mean "chat\.completions"\?$/
    ],
    [
      "an operation that the gateway answers itself",
      { operation: "usage", to: [target] },
      /^routes\[0\]\.operation: expected/
    ],
    [
      "no upstream",
      { operation: "rerank", to: [] },
      "routes[0].to: expected at least one upstream, found an empty list"
    ],
    ["a missing target", { operation: "rerank" }, /^routes\[0\]\.to: is missing/],
    [
      "an unknown upstream",
      { operation: "rerank", to: [{ upstream: "upp" }] },
      'routes[0].to[0].upstream: there is no such upstream; did you mean "up"?'
    ],
    [
      "a weight of zero",
      { operation: "rerank", to: [{ ...target, weight: 0 }] },
      /^routes\[0\]\.to\[0\]\.weight: .*found 0$/
    ],
    ["a fractional weight", { operation: "rerank", to: [{ ...target, weight: 0.5 }] }, /weight: .*found 0\.5$/],
    ["a path", { operation: "rerank", to: [{ ...target, path: "v1" }] }, /path: expected a path that starts with \//],
    [
      "a pattern as the upstream's model",
      { operation: "rerank", to: [{ ...target, model: "m*" }] },
      /model: expected the name of one/
    ]
  ])("is rejected for %s", (_, route, message) => {
    const [only, ...others] = messagesOf(routes(route))
    expect(others).toEqual([])
    if (typeof message === "string") expect(only).toBe(message)
    else expect(only).toMatch(message)
  })

  it("is rejected for an upstream whose protocol cannot execute the operation, and accepted for every other", () => {
    const translated = [
      "chat.completions",
      "messages",
      "models.generate_content",
      "models.stream_generate_content",
      "responses"
    ]
    const models: Readonly<Record<string, ReadonlyArray<string>>> = {
      openai: [
        ...translated,
        "audio.transcriptions",
        "completions",
        "deep_research.search",
        "embeddings",
        "moderations"
      ],
      anthropic: [...translated, "messages.count_tokens"],
      gemini: ["models.batch_embed_contents", "models.count_tokens", "models.embed_content", ...translated].toSorted()
    }
    const ids = operations.filter(({ upstream }) => upstream !== "gateway").map(({ id }) => fill(id, defaults))
    const others = ids.filter((id) => !Object.values(models).flat().includes(id))
    const accepted = (protocol: string) =>
      ids.filter((operation) => {
        try {
          return decoded({ ...upstreams({ protocol }), routes: [{ operation, to: [target] }] }).routes.length === 1
        } catch {
          return false
        }
      })
    expect(accepted("openai").toSorted()).toEqual([...(models["openai"] ?? []), ...others].toSorted())
    expect(accepted("anthropic").toSorted()).toEqual(models["anthropic"]?.toSorted())
    expect(accepted("gemini").toSorted()).toEqual(models["gemini"])
    expect(accepted("json")).toEqual(others)
    expect(accepted("task")).toEqual(others)
    expect(accepted("mcp")).toEqual([])
  })

  it("names the operation, the upstream and what works instead", () => {
    const upstreams = {
      up: openai,
      claude: { ...openai, protocol: "anthropic" },
      tools: { ...openai, protocol: "mcp" }
    }
    const to = [target, { upstream: "claude" }, { upstream: "tools" }]
    expect(messagesOf({ upstreams, routes: [{ operation: "chat.completions", model: "gpt-*", to }] })).toEqual([
      'routes[0].to[2].upstream: chat.completions needs an upstream of the protocol openai or anthropic or gemini or bedrock or converse, and "tools" has the protocol mcp, for operations of your own'
    ])
    expect(messagesOf({ upstreams, routes: [{ operation: "messages.count_tokens", to: [target] }] })).toEqual([
      'routes[0].to[0].upstream: messages.count_tokens needs an upstream of the protocol anthropic, and "up" has the protocol openai'
    ])
    expect(messagesOf({ upstreams, routes: [{ operation: "rerank", to: [{ upstream: "claude" }] }] })).toEqual([
      expect.stringMatching(
        /^routes\[0\]\.to\[0\]\.upstream: rerank needs an upstream of the protocol openai or json or task, and "claude" has the protocol anthropic, for .* and messages\.count_tokens/
      )
    ])
    const wrong = { up: { ...openai, protocol: "opnai" } }
    expect(messagesOf({ upstreams: wrong, routes: [{ operation: "messages", to: [target] }] })).toHaveLength(1)
  })

  it("is rejected if operation and model are repeated", () => {
    const route = { operation: "rerank", model: "m*", to: [target] }
    expect(messagesOf(routes(route, { ...route, model: "m" }, route, route))).toEqual([
      "routes[2]: the same operation and model as routes[0]",
      "routes[3]: the same operation and model as routes[0]"
    ])
  })
})
