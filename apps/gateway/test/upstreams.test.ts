import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import { operations } from "@tollgate/contract/operations"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "./program.ts"
import { type Gateway, startGateway, tollgate } from "./tollgate.ts"

const running: Array<Gateway> = []
const closing: Array<() => void> = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.stop()))
  for (const close of closing.splice(0)) close()
})
afterAll(removeFolders)

const fileOf = (config: object): string => {
  const path = join(folder(), "tollgate.jsonc")
  writeFileSync(path, JSON.stringify(config))
  return path
}

const gateway = async (config: object) => {
  const started = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: fileOf(config), UP_KEY: "up-secret" })
  running.push(started)
  const { banner } = started
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(addressIn(banner) + path, {
      headers: { authorization: `Bearer ${keyIn(banner)}`, ...headers },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
    })
    const text = await answer.text()
    return { status: answer.status, cost: answer.headers.get("x-tollgate-cost-micros-usd"), text }
  }
  return { ask, key: keyIn(banner) }
}

/** An upstream that answers with what it was sent. */
const upstream = async () => {
  const heard: Array<Pick<IncomingMessage, "url" | "headers"> & { readonly body: string }> = []
  const server = createServer((req, res) => {
    let body = ""
    req.on("data", (chunk) => (body += String(chunk)))
    req.on("end", () => {
      heard.push({ url: req.url, headers: req.headers, body })
      res
        .setHeader("content-type", "application/json")
        .end('{"days":[1,2,3],"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}')
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  closing.push(() => (server.close(), server.closeAllConnections()))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`, heard }
}

const chat = (model: string) => ({
  model,
  max_tokens: 20,
  messages: [{ role: "user", content: "Why do rivers bend?" }]
})

const published = OpenApi.contentHash(OpenApi.source(Catalogue.make(operations, defaults))).pipe(
  Effect.provide(Digest.layerWebCrypto),
  Effect.runPromise
)

describe("a gateway without a configuration file", () => {
  it("routes every operation to the sandbox, at the sandbox's prices", async () => {
    const { ask } = await gateway({})
    for (const [path, body] of [
      ["/v1/chat/completions", chat("sandbox")],
      ["/v1/chat/completions", chat("sandbox:no-usage")],
      ["/v1/messages", chat("sandbox")],
      ["/v1/deep-research/search", chat("sandbox")],
      ["/v1beta/models/sandbox:generateContent", { contents: [{ parts: [{ text: "Why do rivers bend?" }] }] }],
      ["/v1/images/generations", { prompt: "a river" }],
      ["/v1/rerank", { query: "q", documents: ["a"] }],
      ["/apis/v1/financial/financial-metrics/snapshot?ticker=ACME", undefined],
      ["/apis/v1/social_a/tweet/quotes?tweetId=1", undefined],
      ["/apis/v1/social_b/post/comments?url=https://x.invalid/1", undefined],
      ["/apis/v1/reseller/social_b/v2/fetch_user_stories", undefined],
      ["/apis/v1/traffic_analytics/website/traffic-engagement?domain=a.example", undefined]
    ] as const) {
      const { cost, status, text } = await ask(path, body)
      expect([status, cost === null], `${path} ${text}`).toEqual([200, false])
    }
    expect((await ask("/v1/images/generations", { prompt: "a river" })).cost).toBe("20000")
    expect((await ask("/api/contracts/version")).text).toContain(`"docsRevision":"${await published}"`)
    const quoted = await ask("/v1/chat/completions", chat("sandbox"), { "x-tollgate-cost-mode": "quote" })
    expect(quoted.text).toContain("model_tokens")
    expect((await ask("/v1/chat/completions", chat("other"))).text).toContain("model_not_found")
  })
})

describe("upstreams in the configuration file", () => {
  it("serve the models routed to them, and the operator's own operations", async () => {
    const { baseUrl, heard } = await upstream()
    const { ask, key } = await gateway({
      upstreams: {
        up: {
          baseUrl,
          protocol: "openai",
          credential: { env: "UP_KEY" },
          private: true,
          headers: { "X-Organization": "org-1" }
        },
        data: { baseUrl, protocol: "json", private: true }
      },
      routes: [
        { operation: "chat.completions", model: "big-*", to: [{ upstream: "up", model: "theirs", path: "/chat" }] }
      ],
      prices: { models: { "big-*": { input: "1", output: "1" } } },
      models: [{ id: "big-one", ownedBy: "acme" }],
      operations: [
        {
          id: "weather.forecast",
          summary: "The weather",
          category: "web traffic",
          method: "GET",
          path: "/apis/v1/weather",
          price: { perItem: "0.001", items: "days", most: 5 },
          upstream: "data"
        }
      ]
    })
    expect((await ask("/v1/chat/completions", chat("big-one"))).status).toBe(200)
    expect(heard[0]).toMatchObject({
      url: "/base/chat",
      headers: { authorization: "Bearer up-secret", "x-organization": "org-1" },
      body: expect.stringContaining('"model":"theirs"') as string
    })
    expect(await ask("/apis/v1/weather")).toMatchObject({ status: 200, cost: "3000" })
    expect(heard[1]).toMatchObject({ url: "/base/apis/v1/weather" })
    expect(JSON.stringify(heard)).not.toContain(key)

    const models = JSON.parse((await ask("/v1/models")).text) as { data: ReadonlyArray<object> }
    expect(models.data).toMatchObject([{ id: "big-one", owned_by: "acme" }])

    // The sandbox answers for nothing beside them.
    const unrouted = await ask("/v1/rerank", { query: "q", documents: ["a"] })
    expect([unrouted.status, unrouted.text]).toEqual([503, expect.stringContaining("upstream_misconfigured")])
    expect((await ask("/v1/chat/completions", chat("sandbox"))).status).toBe(404)
    expect((await ask("/v1/images/generations", { prompt: "p" })).status).toBe(404)

    const version = JSON.parse((await ask("/api/contracts/version")).text) as Record<string, string>
    const { contentHash = "", docsRevision } = version
    // What a client of this version knows, whatever the operator has added and priced.
    expect(docsRevision).toBe(await published)
    expect(contentHash).not.toBe(docsRevision)
    const document = await ask(`/api/contracts/source?bundled=1&hash=${encodeURIComponent(contentHash)}`)
    expect(document.text).toContain("weather.forecast")
    expect(document.text).toContain("$0.001 / ")
  })

  it("leave other operations to the sandbox if it is on; the sandbox's prices do not apply to them", async () => {
    const { baseUrl, heard } = await upstream()
    const { ask } = await gateway({
      upstreams: { up: { baseUrl, protocol: "openai", private: true } },
      routes: [
        { operation: "chat.completions", to: [{ upstream: "up" }] },
        { operation: "chat.completions", model: "big", to: [{ upstream: "up" }] },
        { operation: "images.generate", to: [{ upstream: "up" }] }
      ],
      prices: { models: { big: { input: "1", output: "1" } } },
      sandbox: true
    })
    expect((await ask("/v1/rerank", { query: "q", documents: ["a"] })).status).toBe(200)
    expect((await ask("/v1/chat/completions", chat("sandbox"))).text).toContain("rivers")
    expect(heard).toHaveLength(0)
    const models = JSON.parse((await ask("/v1/models")).text) as { data: ReadonlyArray<object> }
    expect(models.data).toMatchObject([{ id: "big" }, { id: "sandbox" }, { id: "sandbox-video" }, { id: "rerank" }])
    expect((await ask("/v1/chat/completions", chat("big"))).status).toBe(200)
    expect(heard).toHaveLength(1)
    const unpriced = await ask("/v1/images/generations", { prompt: "p" })
    expect([unpriced.status, unpriced.text]).toEqual([503, expect.stringContaining("billing_misconfigured")])
    expect(heard).toHaveLength(1)
  })
})

describe("counting tokens", () => {
  it("goes where messages go, and to the sandbox for its own model", async () => {
    const { baseUrl, heard } = await upstream()
    const { ask } = await gateway({
      upstreams: { up: { baseUrl, protocol: "anthropic", private: true } },
      routes: [{ operation: "messages", to: [{ upstream: "up" }] }],
      sandbox: true
    })
    expect((await ask("/v1/messages/count_tokens", chat("sandbox"))).text).toContain("input_tokens")
    expect(heard).toHaveLength(0)
    await ask("/v1/messages/count_tokens", chat("claude"))
    expect(heard).toHaveLength(1)
  })
})

describe("a platform in the configuration file", () => {
  it("is where users link accounts, with the sandbox on or off", async () => {
    const social = {
      authorizeUrl: "https://social.example/authorize",
      tokenUrl: "https://social.example/token",
      clientId: "client-1",
      clientSecret: { env: "UP_KEY" },
      standingScopes: ["offline.access"]
    }
    for (const sandbox of [true, false]) {
      const { ask } = await gateway({ platform: social, sandbox })
      const { status, text } = await ask("/apis/v1/social_a/auth_social_a", {})
      expect([status, text]).toEqual([200, expect.stringContaining("auth_url")])
      const url = new URL((JSON.parse(text) as { auth_url: string }).auth_url)
      expect(url.origin + url.pathname).toBe("https://social.example/authorize")
      expect(url.searchParams.get("client_id")).toBe("client-1")
      expect(url.searchParams.get("scope")).toContain("offline.access")
      expect(url.searchParams.get("redirect_uri")).toMatch(/^http:.*\/apis\/v1\/social_a\/oauth_callback$/)
      expect(text).not.toContain("up-secret")
    }
  })
})

describe("the sandbox's platform", () => {
  it("redirects to this gateway's callback and nowhere else", async () => {
    const { ask } = await gateway({})
    const { text } = await ask("/apis/v1/social_a/auth_social_a", {})
    const { auth_url } = JSON.parse(text) as { auth_url: string }
    const decide = async (url: URL) => {
      url.searchParams.set("decision", "approve")
      const { headers, status } = await fetch(url, { redirect: "manual" })
      return { status, location: headers.get("location") }
    }
    const own = new URL(auth_url)
    const approved = await decide(own)
    expect(approved.status).toBe(302)
    expect(approved.location).toContain(`${own.origin}/apis/v1/social_a/oauth_callback?`)
    own.searchParams.set("redirect_uri", "https://evil.example/apis/v1/social_a/oauth_callback")
    expect(await decide(own)).toEqual({ status: 400, location: null })
  })
})

describe("the signup credit in the configuration file", () => {
  it("applies to accounts made by command, without the upstreams' credentials", async () => {
    const data = folder()
    await (await startGateway({ TOLLGATE_DATA: data })).stop()
    const openai = { baseUrl: "https://h.example", protocol: "openai", credential: { env: "NOT_SET" } }
    const create = (config: object) =>
      tollgate({ TOLLGATE_DATA: data, TOLLGATE_CONFIG: fileOf(config) }, "accounts", "create", "--json", "new")
    const made = await create({ signupCredit: "1.25", upstreams: { openai } })
    expect([made.stderr, made.stdout]).toEqual(["", expect.stringContaining("1250000")])
    const refused = await create({ signupCredit: 5 })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/TOLLGATE_CONFIG: .*signupCredit: expected/)
    ])
  })
})
