import type { Configuration, ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import type { Trail, TrailEntry } from "@tollgate/contract/admin/Trail"
import { afterEach, describe, expect, it } from "vitest"
import { rerank } from "../program.ts"
import { operatedGateway } from "./setup.ts"

const secret = "the-credential-of-the-upstream"

const file = (amount: string, rest: object = {}) =>
  JSON.stringify({
    upstreams: {
      first: {
        baseUrl: "https://api.example.com/v1",
        protocol: "openai",
        rpm: 60,
        connections: 7,
        credential: { env: "FIRST_KEY" }
      },
      second: { baseUrl: "https://other.example.com", protocol: "openai" }
    },
    routes: [
      { operation: "chat.completions", model: "gpt-*", to: [{ upstream: "first", weight: 3 }, { upstream: "second" }] },
      { operation: "chat.completions", model: "large", to: [{ upstream: "first", weight: 3 }] },
      { operation: "deep_research.search", to: [{ upstream: "first", weight: 3 }] }
    ],
    prices: { operations: { rerank: { contract: "per_request", amount } } },
    sandbox: true,
    ...rest
  })

const gateway = operatedGateway(file("0.01"), { FIRST_KEY: secret })
const { address, caller, post, read, remove, send, write } = gateway

const check = () => post<ConfigurationCheck>("/config/check")
const reload = () => post<ConfigurationCheck>("/config/reload")
const costOf = async () => (await rerank(address(), caller().key)).headers.get("x-tollgate-cost-micros-usd")

interface Loaded {
  readonly digest: string
  readonly changes: ReadonlyArray<string>
}

const loaded = (entry: TrailEntry | undefined) => entry?.after as Loaded

/** A keyed hash is another one in each store. */
const changesOf = (entry: TrailEntry | undefined) =>
  loaded(entry).changes.map((text) => text.replaceAll(/#[0-9a-f]{8}/g, "#X"))

const inForce = { valid: true, problems: [], in_force: true }

afterEach(async () => {
  write(file("0.01"))
  expect(await reload()).toEqual(inForce)
})

describe("the configuration of the operator", () => {
  it("names the file in force, and what is in it", async () => {
    const shown = await read<Configuration>("/config")
    expect(shown).toEqual({
      file: "tollgate.jsonc",
      loaded_at: expect.stringMatching(/^\d{4}-/),
      upstreams: ["first", "second"],
      sandbox: true,
      version: expect.stringMatching(/^\d+\./)
    })
  })

  it("a check reads the file as it is now and changes nothing", async () => {
    expect(await check()).toEqual(inForce)
    write(file("0.02"))
    expect(await check()).toEqual({ ...inForce, in_force: false })
    expect(await costOf()).toBe("10000")
  })

  it("a reload puts the file in force, with its prices and upstreams", async () => {
    const before = await read<Configuration>("/config")
    write(file("0.03", { upstreams: {}, routes: [] }))
    expect(await reload()).toEqual(inForce)
    expect(await costOf()).toBe("30000")
    const after = await read<Configuration>("/config")
    expect(after.upstreams).toEqual([])
    expect(Date.parse(after.loaded_at)).toBeGreaterThanOrEqual(Date.parse(before.loaded_at))
    const { upstreams } = await read<{ upstreams: ReadonlyArray<{ name: string }> }>("/upstreams")
    expect(upstreams.map(({ name }) => name)).toEqual(["sandbox"])
    const { prices } = await read<{ prices: ReadonlyArray<{ operation: string; config: unknown }> }>("/prices")
    expect(prices.find(({ operation }) => operation === "rerank")?.config).toEqual({
      contract: "per_request",
      amount: "0.03"
    })
  })

  it("what only a start reads is named, and not in force after a reload", async () => {
    write(file("0.03", { signupCredit: "7", tools: { origins: ["https://inspector.example.com"] } }))
    const waiting = { valid: true, problems: [], in_force: false, needs_restart: ["signupCredit", "tools"] }
    expect([await check(), await reload(), await check()]).toEqual([waiting, waiting, waiting])
    expect(await costOf()).toBe("30000")
  })

  it("a file with problems changes nothing, and each is named with its line", async () => {
    const before = await read("/config")
    for (const [text, problems] of [
      [
        '{\n  "naems": {},\n  "signupCredit": "x"\n}',
        [/^tollgate\.jsonc:2:\d+: naems: not a known key/, /^tollgate\.jsonc:3:\d+: signupCredit: /]
      ],
      ["{", [/^tollgate\.jsonc:1:/]],
      [
        file("0.02", { bindings: { "images.generate": { path: "/v1/rerank" } } }),
        [/rerank and images\.generate are both at/]
      ]
    ] as const) {
      write(text)
      for (const answer of [await check(), await reload()]) {
        expect(answer).toEqual({
          valid: false,
          in_force: false,
          problems: problems.map((problem) => expect.stringMatching(problem))
        })
        expect(JSON.stringify(answer)).not.toContain(secret)
      }
      expect(await costOf()).toBe("10000")
      expect(await read("/config")).toEqual(before)
    }
  })

  it("a file that is gone is a problem, and the configuration stays in force", async () => {
    remove()
    const gone = { valid: false, in_force: false, problems: ["cannot read tollgate.jsonc (ENOENT)"] }
    expect([await check(), await reload()]).toEqual([gone, gone])
    expect(await costOf()).toBe("10000")
  })

  it("reloads at the same time come one after the other", async () => {
    write(file("0.04"))
    const answers = await Promise.all(Array.from({ length: 8 }, reload))
    for (const answer of answers) expect(answer).toEqual(inForce)
    expect(await costOf()).toBe("40000")
  })

  it("the trail has what a load changed in words, once, and no secret", async () => {
    const entries = async () => {
      const { trail } = await read<Trail>("/trail?of=configuration")
      return trail.filter(({ action }) => action === "configuration loaded")
    }
    const [before, first] = [await entries(), (await entries()).at(-1)]
    expect(first).toMatchObject({ who: "configuration", request: null, subject: "configuration" })
    expect(changesOf(first)).toEqual([
      'prices.operations.rerank added: {"contract":"per_request","amount":"0.01"}',
      ...["gpt-*", "large"].map((model) =>
        expect.stringContaining(`routes added: {"operation":"chat.completions","model":"${model}"`)
      ),
      'routes added: {"operation":"deep_research.search","to":[{"upstream":"first","weight":3}]}',
      "sandbox added: true",
      'upstreams.first added: {"baseUrl":"https://api.example.com #X","protocol":"openai","rpm":60,"connections":7,"credential":{"env":"FIRST_KEY"}}',
      'upstreams.second added: {"baseUrl":"https://other.example.com #X","protocol":"openai"}'
    ])
    await reload()
    expect(await entries()).toEqual(before)
    const hidden = "a-password-of-somebody"
    const third = {
      baseUrl: `https://third.example.com/${hidden}`,
      protocol: "openai",
      headers: { "X-Key": hidden }
    }
    write(file("0.02", { upstreams: { ...JSON.parse(file("0.01")).upstreams, third } }))
    const asked = await send("POST", "/config/reload", {})
    const [newest, ...rest] = await entries()
    expect(rest).toEqual(before)
    expect(newest).toMatchObject({
      who: "shared token",
      request: asked.headers.get("x-request-id"),
      before: { digest: loaded(before[0]).digest }
    })
    expect(changesOf(newest)).toEqual([
      "prices.operations.rerank.amount: 0.01 -> 0.02",
      'upstreams.third added: {"baseUrl":"https://third.example.com #X","protocol":"openai","headers":{"X-Key":"#X"}}'
    ])
    write("{")
    await reload()
    expect(await entries()).toHaveLength(before.length + 1)
    expect(JSON.stringify(await entries())).not.toContain(hidden)
  })

  it("takes neither a body nor another method", async () => {
    expect((await send("POST", "/config/reload", { file: "/etc/passwd" })).status).toBe(400)
    expect((await send("POST", "/config/check", [])).status).toBe(400)
    for (const path of ["/config/reload", "/config/check"]) expect((await send("GET", path)).status).toBe(405)
    expect((await send("POST", "/config")).status).toBe(405)
  })
})

describe("the upstreams of the operator", () => {
  it("shows each upstream with what it serves, and never its credential", async () => {
    const { json, text } = await send("GET", "/upstreams")
    expect(text).not.toContain(secret)
    const { upstreams } = json() as { upstreams: ReadonlyArray<unknown> }
    const idle = { breaker: "closed", cause: null, retry_at: null, tools_left_out: [] }
    expect(upstreams).toEqual([
      {
        name: "first",
        base_url: "https://api.example.com/v1",
        ...idle,
        connections: { limit: 7, busy: 0, waiting: 0 },
        rpm: { limit: 60, remaining: 60 },
        routes: [
          { operations: ["chat.completions"], models: ["gpt-*", "large"], weight: 3 },
          { operations: ["deep_research.search"], models: [], weight: 3 }
        ]
      },
      {
        name: "second",
        base_url: "https://other.example.com",
        ...idle,
        connections: { limit: 256, busy: 0, waiting: 0 },
        rpm: null,
        routes: [{ operations: ["chat.completions"], models: ["gpt-*"], weight: 1 }]
      },
      expect.objectContaining({ name: "sandbox", breaker: "off" })
    ])
  })
})
