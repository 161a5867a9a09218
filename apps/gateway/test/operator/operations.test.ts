import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { operatedGateway } from "./setup.ts"

const folder = mkdtempSync(join(tmpdir(), "tollgate-operations-"))
const operationsFile = join(folder, "weather.operations.json")

const held: Array<ServerResponse> = []
let onArrival = () => {}
let isHolding = false
let body = ""
let type = "application/json"
const server = createServer((req, res) => {
  req.resume().once("end", () => {
    if (!isHolding) return void res.writeHead(200, { "content-type": type }).end(body)
    held.push(res)
    onArrival()
  })
})
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const arrived = (count: number) =>
  new Promise<void>((resolve) => {
    onArrival = () => {
      if (held.length >= count) resolve()
    }
    onArrival()
  })

const forecast = {
  id: "weather.forecast",
  category: "weather",
  summary: "The weather of the next days",
  description: "Clouds, wind and rain for a town.",
  method: "GET",
  path: "/apis/v1/weather/{city}",
  parameters: [
    { name: "city", in: "path", schema: { $ref: "#/schemas/City" } },
    { name: "days", schema: { type: "integer", minimum: 1, maximum: 14 }, description: "How many" }
  ],
  answer: { schema: { type: "object", properties: { town: { $ref: "#/schemas/Place" } } } },
  price: { field: "usage.credits", perUnit: "0.001", unit: "credit", most: 500 },
  upstream: "weather"
}

const schemas = {
  City: { type: "string", maxLength: 20, title: "A town" },
  Place: { type: "object", properties: { name: { type: "string" }, within: { $ref: "#/schemas/Place" } } }
}

const write = (...operations: ReadonlyArray<object>) =>
  writeFileSync(operationsFile, JSON.stringify({ schemas, operations }))
write(forecast)

const { caller, post } = operatedGateway(
  JSON.stringify({
    upstreams: { weather: { baseUrl, protocol: "json", private: true } },
    operations: [{ file: operationsFile }],
    sandbox: true
  })
)

const reload = (...operations: ReadonlyArray<object>) => {
  write(...operations)
  return post("/config/reload")
}

afterAll(() => {
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true })
})

const ask = (path = "/apis/v1/weather/ulm?days=3", headers: Readonly<Record<string, string>> = {}) =>
  caller().send({ path, headers, upstream: true })

const costOf = async (answer = ask()) => {
  const { headers, status } = await answer
  return [status, headers.get("x-tollgate-cost-micros-usd"), headers.get("x-tollgate-cost-state")]
}

const credits = (value: unknown) => JSON.stringify({ town: { name: "Ulm" }, usage: { credits: value } })

const sourceOf = async () => {
  const { contentHash } = (await caller().send({ path: "/api/contracts/version" })).json() as { contentHash: string }
  const { text } = await caller().send({ path: `/api/contracts/source?hash=${contentHash}&bundled=1` })
  return { contentHash, text }
}

describe("an operation that a file describes", () => {
  it("is called, checked, quoted and billed", async () => {
    body = credits(7)
    const answer = await ask()
    expect([answer.status, answer.text]).toEqual([200, body])
    expect(await costOf()).toEqual([200, "7000", "settled"])
    for (const path of ["/apis/v1/weather/ulm?days=15", "/apis/v1/weather/a-town-with-a-name-that-is-long"]) {
      expect((await ask(path)).status).toBe(400)
    }
    const quote = (await ask(undefined, { "x-tollgate-cost-mode": "quote" })).json()
    expect(quote).toMatchObject({
      operation_id: "weather.forecast",
      price_contract: "answer_field",
      estimate_micros_usd: 1_000,
      max_micros_usd: 500_000,
      basis:
        "$0.001 / credit in usage.credits, times 1 for this account; the estimate assumes 1 credit, the maximum 500"
    })
  })

  it("may answer with another type than JSON, if it says so", async () => {
    const map = { ...forecast, id: "weather.map", path: "/apis/v1/map", parameters: [], price: { amount: "0.01" } }
    expect(await reload(forecast, { ...map, answer: { type: "image/*" } })).toMatchObject({ valid: true })
    const paid = []
    for (type of ["image/png", "text/html", "application/json"]) {
      body = type === "application/json" ? "{}" : "<map>"
      paid.push((await costOf(ask("/apis/v1/map")))[1])
    }
    expect(paid).toEqual(["10000", null, null])
    const { text } = await sourceOf()
    expect(JSON.parse(text).paths["/apis/v1/map"].get.responses["200"].content["image/*"]).toMatchObject({
      schema: { type: "string", format: "binary" }
    })
    for (const wrong of [{ type: "png" }, { type: "image/png", schema: true }]) {
      expect(await reload(forecast, { ...map, answer: wrong })).toMatchObject({ valid: false })
    }
    const byField = { ...map, answer: { type: "image/png" }, price: forecast.price }
    expect(await reload(forecast, byField)).toMatchObject({ valid: false })
    type = "application/json"
    expect(await reload(forecast)).toMatchObject({ valid: true })
  })

  it("is in the document and its hash, the reference, the offer of the console, usage and the tools", async () => {
    const { text } = await sourceOf()
    const document = JSON.parse(text) as {
      paths: Record<string, unknown>
      components: { schemas: object }
      tags: unknown
    }
    expect(document.paths["/apis/v1/weather/{city}"]).toMatchObject({
      get: {
        operationId: "weather.forecast",
        tags: ["weather"],
        "x-price-contract": "answer_field",
        "x-definition": { state: "complete" },
        parameters: expect.arrayContaining([
          expect.objectContaining({ name: "city", in: "path", schema: { $ref: "#/components/schemas/City" } }),
          expect.objectContaining({
            name: "days",
            description: "How many",
            schema: { type: "integer", minimum: 1, maximum: 14 }
          })
        ])
      }
    })
    expect(document.components.schemas).toMatchObject({
      Place: { properties: { within: { $ref: "#/components/schemas/Place" } } }
    })
    expect(document.tags).toContainEqual({ name: "weather", description: expect.any(String) })

    const page = await caller().send({ path: "/docs/weather.forecast", as: null })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("Clouds, wind and rain for a town.")])
    expect(page.text).toContain("/ credit")

    const offer = (await caller().send({ path: "/account/v1/operations" })).json() as {
      operations: ReadonlyArray<{ id: string }>
    }
    expect(offer.operations.find(({ id }) => id === "weather.forecast")).toMatchObject({
      category: "weather",
      input_schema: { properties: { days: { type: "integer", maximum: 14 } }, required: ["city"] },
      price: expect.stringContaining("/ credit")
    })
    const calls = (await caller().send({ path: "/account/v1/calls" })).text
    expect(calls).toContain("weather.forecast")
  })
})

describe("a number in the answer that decides the charge", () => {
  it.each([
    [0, "0"],
    [3, "3000"],
    [900, "900000"]
  ])("%j is charged as it is", async (value, cost) => {
    body = credits(value)
    expect(await costOf()).toEqual([200, cost, "settled"])
  })

  it.each([undefined, null, -5, 1.5, "7", [7], true, 1e15])("%j costs nothing, and is not delivered", async (value) => {
    body = credits(value)
    expect(await costOf()).toEqual([502, null, "none"])
  })

  it("is never charged above the caller's cap", async () => {
    body = credits(900)
    expect(await costOf(ask(undefined, { "x-tollgate-max-price-usd": "0.5" }))).toEqual([200, "500000", "settled"])
    expect((await ask(undefined, { "x-tollgate-max-price-usd": "0.4" })).status).toBe(402)
  })

  it.each(["", "[]", "7", "{", '{"usage":7}', '{"usage":{"credits":1e999}}', '{"__proto__":{"usage":{"credits":5}}}'])(
    "of another answer costs nothing: %s",
    async (text) => {
      body = text
      expect((await costOf()).slice(1)).toEqual([null, "none"])
    }
  )
})

describe("a reload while calls run", () => {
  it("adds, changes and removes operations; what runs ends as it began", async () => {
    isHolding = true
    const running = ask()
    await arrived(1)
    const before = await sourceOf()
    const alarm = {
      ...forecast,
      id: "weather.alarm",
      method: "POST",
      path: "/apis/v1/alarm",
      price: { amount: "0.05" }
    }
    expect(await reload({ ...forecast, price: { amount: "0.02" } }, { ...alarm, parameters: [] })).toMatchObject({
      valid: true
    })
    const changed = ask()
    const added = caller().send({ method: "POST", path: "/apis/v1/alarm", upstream: true })
    await arrived(3)
    expect((await sourceOf()).contentHash).not.toBe(before.contentHash)
    expect(await reload()).toMatchObject({ valid: true })
    expect((await ask()).status).toBe(404)
    isHolding = false
    for (const res of held.splice(0)) res.writeHead(200, { "content-type": "application/json" }).end(credits(7))
    expect(await costOf(running)).toEqual([200, "7000", "settled"])
    expect(await costOf(changed)).toEqual([200, "20000", "settled"])
    expect(await costOf(added)).toEqual([200, "50000", "settled"])
  })

  it("that is wrong names the file and the line, and changes nothing", async () => {
    await reload(forecast)
    body = credits(1)
    writeFileSync(operationsFile, '{\n  "operations": [\n    { "id": "weather.forecast" }\n  ]\n}')
    const check = (await post("/config/reload")) as { valid: boolean; problems: ReadonlyArray<string> }
    expect(check.valid).toBe(false)
    expect(check.problems[0]).toMatch(/weather\.operations\.json:3:\d+: operations\[0\]\.\w+: is missing/)
    expect(await costOf()).toEqual([200, "1000", "settled"])
  })

  it("an operation without a price is refused until it has one", async () => {
    await reload({ ...forecast, price: "pending" })
    const refused = await ask()
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining("billing_misconfigured")])
  })
})
