import type { Margin, MarginGroup, OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { tollgate } from "../tollgate.ts"
import { type Fields, operatedGateway } from "./setup.ts"

const held: Array<ServerResponse> = []
let isHolding = false

const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100, cost: 0.000077 }
const completion = (model: string) => ({
  id: "c",
  object: "chat.completion",
  model,
  choices: [{ index: 0, message: { role: "assistant", content: "Because." }, finish_reason: "stop" }],
  usage
})

const answer = (res: ServerResponse, { model, stream }: { readonly model: string; readonly stream?: boolean }) => {
  if (stream !== true) {
    return res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion(model)))
  }
  const events = [
    { choices: [{ index: 0, delta: { content: "Because." }, finish_reason: "stop" }] },
    { choices: [], usage }
  ]
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
  return res.writeHead(200, { "content-type": "text/event-stream" }).end(`${text}data: [DONE]\n\n`)
}

const server = createServer((req, res) => {
  let text = ""
  req
    .on("data", (chunk: Buffer) => (text += chunk.toString()))
    .once("end", () => {
      if (isHolding) held.push(res)
      else answer(res, JSON.parse(text) as { readonly model: string })
    })
})
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const to = (upstream: string, model?: string) => ({ upstream, ...(model === undefined ? {} : { model }) })

const config = (cheapInput: string) =>
  JSON.stringify({
    upstreams: {
      cheap: {
        baseUrl,
        protocol: "openai",
        private: true,
        prices: { models: { theirs: { input: cheapInput, output: "0.777777" } } }
      },
      dear: {
        baseUrl,
        protocol: "openai",
        private: true,
        prices: { models: { "*": { input: "9", output: "9" } } }
      },
      bare: { baseUrl, protocol: "openai", private: true },
      gone: {
        baseUrl: "http://127.0.0.1:9",
        protocol: "openai",
        private: true,
        prices: { models: { "*": { input: "500", output: "500" } } }
      }
    },
    routes: [
      { operation: "chat.completions", model: "sold", to: [to("cheap", "theirs")] },
      { operation: "chat.completions", model: "unlisted", to: [to("cheap")] },
      { operation: "chat.completions", model: "loss", to: [to("dear")] },
      { operation: "chat.completions", model: "bare", to: [to("bare")] },
      {
        operation: "chat.completions",
        model: "moved",
        to: [
          { ...to("gone"), weight: 1_000_000 },
          { ...to("dear"), weight: 1 }
        ]
      },
      { operation: "responses", to: [to("bare")] }
    ],
    prices: { models: { "*": { input: "2", output: "2" } } },
    operations: [
      {
        id: "weather.forecast",
        category: "weather",
        summary: "The weather",
        method: "POST",
        path: "/apis/v1/weather",
        parameters: [{ name: "model", type: "string" }],
        price: { amount: "0.01" },
        cost: { perUnit: "0.000001", field: "usage.total_tokens", most: 5_000 },
        upstream: "bare"
      }
    ],
    sandbox: true
  })

const { account, admin, caller, data, post, read, write } = operatedGateway(config("0.123456"), {
  TOLLGATE_METRICS_TOKEN: "a-metrics-token-of-the-test"
})

const ask = (model: string, more: object = {}) =>
  caller().send({
    path: "/v1/chat/completions",
    body: { model, max_tokens: 100, messages: [{ role: "user", content: "Why?" }], ...more },
    upstream: true
  })

const today = () => Math.floor(Date.now() / 86_400_000) * 86_400

const margin = () => read<Margin>(`/usage/margin?start_time=${today() - 86_400}`)

const group = (groups: ReadonlyArray<MarginGroup>, id: string) => groups.find((each) => each.id === id)?.totals

const storyOf = async (answer: Awaited<ReturnType<typeof ask>>) => {
  const id = answer.headers.get("x-request-id") ?? ""
  return read<OperatorCallStory>(`/accounts/${account()}/calls/${id}`)
}

/** 1,000 tokens at 0.123456 and 100 at 0.777777 USD per million, rounded. */
const costNano = "201234"

beforeEach(() => {
  isHolding = false
})

describe("an upstream with prices of its own", () => {
  it("has its cost beside the charge of each call, whole or streamed, by the name of its own model", async () => {
    for (const more of [{}, { stream: true, stream_options: { include_usage: true } }]) {
      const answer = await ask("sold", more)
      expect(answer.status, answer.text).toBe(200)
      const story = await storyOf(answer)
      expect(story).toMatchObject({
        upstream: "cheap",
        charged_micros_usd: 2_200,
        cost_nano_usd: costNano,
        margin_nano_usd: String(2_200_000n - BigInt(costNano))
      })
    }
  })

  it("may charge more than the caller pays: the margin is below zero", async () => {
    expect(await storyOf(await ask("loss"))).toMatchObject({ cost_nano_usd: "9900000", margin_nano_usd: "-7700000" })
    expect(group((await margin()).by_model, "loss")).toMatchObject({
      costed_requests: 1,
      cost_micros_usd: 9_900,
      margin_micros_usd: -7_700
    })
  })

  it("has an unknown cost for a model that its prices leave out, and operators see how much that is", async () => {
    expect(await storyOf(await ask("unlisted"))).toMatchObject({ cost_nano_usd: null, margin_nano_usd: null })
    expect(await storyOf(await ask("bare"))).toMatchObject({ cost_nano_usd: null })
    const { by_model, by_upstream } = await margin()
    expect(group(by_model, "unlisted")).toMatchObject({ costed_requests: 0, without_cost_micros_usd: 2_200 })
    expect(group(by_upstream, "bare")).toBeUndefined()
  })

  it("may charge for an operation of the operator's own, in another way than it is sold", async () => {
    const answer = await caller().send({ path: "/apis/v1/weather", body: { model: "any" }, upstream: true })
    expect(await storyOf(answer)).toMatchObject({ charged_micros_usd: 10_000, cost_nano_usd: "1100000" })
  })

  it("is the one that answered, if others were tried before it", async () => {
    const story = await storyOf(await ask("moved"))
    expect([story.upstream, story.cost_nano_usd]).toEqual(["dear", "9900000"])
  })

  it("has the prices of the time of the call, though they change while it is open", async () => {
    isHolding = true
    const open = ask("sold")
    await expect.poll(() => held.length).toBe(1)
    write(config("5"))
    expect(await post("/config/reload", {})).toMatchObject({ valid: true })
    answer(held.splice(0)[0]!, { model: "theirs" })
    expect(await storyOf(await open)).toMatchObject({ cost_nano_usd: costNano })
    isHolding = false
    expect(await storyOf(await ask("sold"))).toMatchObject({ cost_nano_usd: "5077778" })
  })
})

describe("the margin", () => {
  it("is summed by account, operation, model and upstream, of one account or all, and the audit proves it", async () => {
    const all = await margin()
    const { by_account, by_operation, by_upstream, totals } = all
    const sum = (groups: ReadonlyArray<MarginGroup>) =>
      groups.reduce((total, { totals }) => total + BigInt(totals.cost_nano_usd), 0n)
    for (const groups of [by_account, by_operation, by_upstream, all.by_model]) {
      expect(sum(groups)).toBe(BigInt(totals.cost_nano_usd))
    }
    expect(by_account).toMatchObject([{ id: account() }])
    expect(new Set(by_operation.map(({ id }) => id))).toEqual(new Set(["chat.completions", "weather.forecast"]))
    expect(new Set(by_upstream.map(({ id }) => id))).toEqual(new Set(["cheap", "dear", "bare"]))
    expect(totals.without_cost_micros_usd).toBe(4_400)
    const own = await read<Margin>(`/usage/margin?start_time=${today() - 86_400}&account=${account()}`)
    expect(own.totals).toEqual(totals)
    expect((await admin().send({ path: "/admin/v1/usage/margin?start_time=1000&account=acct_none" })).status).toBe(404)
    for (const wrong of ["", "?start_time=x", "?start_time=9&end_time=8", "?start_time=1", "?start_time=1&group=x"]) {
      expect((await admin().send({ path: `/admin/v1/usage/margin${wrong}` })).status, wrong).toBe(400)
    }
    expect(await post("/audit", {})).toMatchObject({ correct: true })
  })

  it("is in the export and in the metrics", async () => {
    const { stdout } = await tollgate({ TOLLGATE_DATA: data }, "export", "--format", "ndjson")
    const exported = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .map((call) => [call["upstream"], call["cost_nano_usd"], call["margin_nano_usd"]])
    expect(exported).toContainEqual([expect.any(String), Number(costNano), 2_200_000 - Number(costNano)])
    expect(exported).toContainEqual([expect.any(String), 9_900_000, -7_700_000])
    expect(exported).toContainEqual(["bare", null, null])
    const metrics = await caller().with("a-metrics-token-of-the-test").send({ path: "/metrics" })
    const labels = 'operation="chat.completions",model="loss",upstream="dear"'
    expect(metrics.text).toContain(`tollgate_cost_micro_usd_total{${labels}} 9900`)
    const bare = 'operation="chat.completions",model="bare",upstream="bare"'
    expect(metrics.text).toContain(`tollgate_cost_unknown_total{${bare}} 1`)
  })

  it("is nowhere that a caller looks", async () => {
    const answer = await ask("loss")
    const id = answer.headers.get("x-request-id") ?? ""
    const seen = [JSON.stringify([...answer.headers])]
    const { contentHash } = (await caller().send({ path: "/api/contracts/version" })).json() as Fields
    for (const path of [
      `/account/v1/calls/${id}`,
      "/account/v1/calls",
      `/account/v1/usage?start_time=${today()}`,
      `/account/v1/usage/tags?start_time=${today()}`,
      "/account/v1/openapi.json",
      `/v1/usage?start_time=${today()}`,
      "/v1/models",
      `/api/contracts/source?bundled=1&hash=${String(contentHash)}`,
      "/docs"
    ]) {
      const page = await caller().send({ path })
      expect([path, page.status]).toEqual([path, 200])
      seen.push(page.text)
    }
    for (const text of seen) expect(text).not.toMatch(/cost_nano|margin_|\b9900000\b|9_900|costed|OperatorCallStory/)
    // A caller's key opens no page of the operator.
    for (const path of ["/admin/v1/usage/margin?start_time=1000", `/admin/v1/accounts/${account()}/calls/${id}`]) {
      expect((await caller().send({ path })).status).toBe(401)
    }
  })
})
