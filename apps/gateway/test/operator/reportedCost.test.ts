import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { PriceList, PricePreview } from "@tollgate/contract/admin/Prices"
import { afterAll, describe, expect, it } from "vitest"
import { operatedGateway } from "./setup.ts"

let body = ""
let headers: Readonly<Record<string, string>> = {}
const received: Array<string> = []
const server = createServer((req, res) => {
  let text = ""
  req
    .on("data", (chunk: Buffer) => (text += chunk.toString()))
    .once("end", () => {
      received.push(text)
      res.writeHead(200, { "content-type": "application/json", ...headers }).end(body)
    })
})
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const own = { category: "weather", summary: "The weather", method: "GET", upstream: "data" }

const { caller, post, read } = operatedGateway(
  JSON.stringify({
    upstreams: {
      data: { baseUrl, protocol: "json", private: true },
      router: { baseUrl, protocol: "openai", private: true }
    },
    routes: [
      { operation: "reseller.social_c.tag_detail", to: [{ upstream: "data" }] },
      { operation: "chat.completions", to: [{ upstream: "router" }] }
    ],
    prices: {
      operations: {
        "reseller.social_c.tag_detail": { contract: "reported_cost", cost: "cost", factor: "1.45", most: "0.01" },
        "chat.completions": { contract: "reported_cost", cost: "usage.cost", factor: "1.2", most: "0.05" }
      }
    },
    operations: [
      {
        ...own,
        id: "weather.forecast",
        path: "/apis/v1/weather",
        price: { cost: "usage.credits", perUnit: "0.001", unit: "credit", factor: "1.45", most: "0.05" }
      },
      {
        ...own,
        id: "weather.map",
        path: "/apis/v1/map",
        answer: { type: "image/png" },
        price: { cost: { header: "X-Cost" }, most: "0.02" }
      },
      {
        ...own,
        id: "weather.coded",
        path: "/apis/v1/coded",
        price: { cost: "cost", most: "0.02", field: "status", equals: 0 }
      },
      {
        ...own,
        id: "weather.talk",
        path: "/apis/v1/talk",
        method: "POST",
        body: { schema: { type: "object" } },
        upstream: { name: "router", path: "/v1/talk" },
        price: { cost: "usage.cost", most: "0.02" }
      }
    ],
    sandbox: true
  })
)

const ask = async (path: string, request?: object, more: Readonly<Record<string, string>> = {}) =>
  caller().send({ path, headers: more, upstream: true, ...(request === undefined ? {} : { body: request }) })

const costOf = async (path: string, answer: string, request?: object, withHeaders: typeof headers = {}) => {
  body = answer
  headers = withHeaders
  const { headers: got } = await ask(path, request)
  headers = {}
  return [got.get("x-tollgate-cost-micros-usd"), got.get("x-tollgate-cost-state")]
}

const nothing = [null, "none"]
const reseller = "/apis/v1/reseller/social_c/web/fetch_tag_detail?tag_name=a"
const messages = [{ role: "user", content: "Hi" }]
const chat = (usage: string) =>
  `{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"}}],"usage":${usage}}`

describe("a price by what the upstream says that a call cost", () => {
  it("is one line for an operation of the reseller, whose failures stay free", async () => {
    expect(await costOf(reseller, '{"code":200,"cost":0.001,"data":{}}')).toEqual(["1450", "settled"])
    expect(await costOf(reseller, '{"code":200,"cost":1e-3,"data":{}}')).toEqual(["1450", "settled"])
    expect(await costOf(reseller, '{"code":404,"cost":0.001,"data":{}}')).toEqual(["0", "settled"])
    expect(await costOf(reseller, '{"code":200.0,"cost":0.001,"data":{}}')).toEqual(["0", "settled"])
    expect(await costOf(reseller, '{"code":200,"data":{}}')).toEqual(nothing)
  })

  it("is one for the models of a router", async () => {
    const request = { model: "any/model", messages }
    const usage = '{"prompt_tokens":10,"completion_tokens":2,"cost":0.00014175}'
    expect(await costOf("/v1/chat/completions", chat(usage), request)).toEqual(["170", "settled"])
    expect(await costOf("/v1/chat/completions", chat('{"prompt_tokens":1}'), request)).toEqual(nothing)
    body = `data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":${usage}}\n\ndata: [DONE]\n\n`
    headers = { "content-type": "text/event-stream" }
    const { text } = await ask("/v1/chat/completions", { ...request, stream: true })
    headers = {}
    expect(text).toContain("cost_micros_usd=170 cost_state=settled")
  })

  it("asks a router for the report of a stream, for an operation of the file too", async () => {
    body = 'data: {"choices":[],"usage":{"prompt_tokens":1,"cost":0.002}}\n\ndata: [DONE]\n\n'
    headers = { "content-type": "text/event-stream" }
    const { text } = await ask("/apis/v1/talk", { stream: true })
    headers = {}
    expect(JSON.parse(received.at(-1) ?? "{}")).toEqual({ stream: true, stream_options: { include_usage: true } })
    expect(text).toContain("cost_micros_usd=2000 cost_state=settled")
  })

  it("counts units, and reads fields, texts and headers", async () => {
    expect(await costOf("/apis/v1/weather", '{"usage":{"credits":7}}')).toEqual(["10150", "settled"])
    expect(await costOf("/apis/v1/weather", '{"usage":{"credits":"2.5"}}')).toEqual(["3625", "settled"])
    const png = { "content-type": "image/png", "x-cost": "0.0125" }
    expect(await costOf("/apis/v1/map", "<map>", undefined, png)).toEqual(["12500", "settled"])
    for (const cost of ["", "-1", "free", "1e9"]) {
      expect(await costOf("/apis/v1/map", "<map>", undefined, { ...png, "x-cost": cost })).toEqual(nothing)
    }
    expect(await costOf("/apis/v1/map", "<map>", undefined, { "content-type": "text/html", "x-cost": "1" })).toEqual(
      nothing
    )
    expect(await costOf("/apis/v1/coded", '{"status":0,"cost":0.001}')).toEqual(["1000", "settled"])
    expect(await costOf("/apis/v1/coded", '{"status":5,"cost":0.001}')).toEqual(["0", "settled"])
  })

  it.each(["null", "-0.1", '"NaN"', "1e400", "{}", "[0.1]", "1000000001", '0.1,"credits":0.2', `0.${"1".repeat(99)}`])(
    "costs nothing if the report is bad: %s",
    async (credits) => {
      expect(await costOf("/apis/v1/weather", `{"usage":{"credits":${credits}}}`)).toEqual(nothing)
    }
  )

  it("is quoted with the most, and kept within a cap", async () => {
    const quote = await ask("/apis/v1/weather", undefined, { "x-tollgate-cost-mode": "quote" })
    expect(quote.json()).toMatchObject({
      price_contract: "reported_cost",
      estimate_micros_usd: 50_000,
      max_micros_usd: 50_000,
      basis:
        "$0.001 / credit that the upstream reports in usage.credits, times 1.45, times 1 for this account;" +
        " the estimate and the maximum assume $0.05"
    })
    body = '{"usage":{"credits":900}}'
    const capped = (cap: string) => ask("/apis/v1/weather", undefined, { "x-tollgate-max-price-usd": cap })
    expect((await capped("0.049")).status).toBe(402)
    expect((await capped("0.05")).headers.get("x-tollgate-cost-micros-usd")).toBe("50000")
  })

  it("is shown in lists, and a preview applies another factor to recorded calls", async () => {
    const { prices } = await read<PriceList>("/prices")
    const line = prices.find(({ operation }) => operation === "chat.completions")
    expect(line).toMatchObject({
      contract: "reported_cost",
      words: "$1.20 / USD that the upstream reports, up to $0.05 a call as far as is known",
      config: { contract: "reported_cost", cost: "usage.cost", factor: "1.2", most: "0.05" }
    })
    const config = { ...(line?.config as object), factor: "2.4" }
    const { lines } = await post<PricePreview>("/prices/preview", {
      prices: { operations: { "chat.completions": config } }
    })
    expect(lines.find(({ operation }) => operation === "chat.completions")).toMatchObject({
      calls: 2,
      not_computable: 0,
      charged_before_micros_usd: 340,
      charged_after_micros_usd: 680
    })
  })
})
