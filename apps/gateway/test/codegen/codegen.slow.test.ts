import {
  Client,
  createClient,
  FetchCarrier,
  NotFound,
  OverBudget,
  type PromiseClient,
  RateLimited,
  type rerank
} from "@tollgate/client"
import type { BilledError, CallFunction, contractCheck, FreeError, OnClient } from "@tollgate/client/discovered"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fileOf } from "../../src/codegen/file.ts"
import { functionNames } from "../../src/codegen/names.ts"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { type Gateway, startGateway, tollgate } from "../tollgate.ts"
import { project } from "./compile.ts"
import { anyDocument, documentOf, largeDocument, operation, sourceOf } from "./documents.ts"

interface Place {
  readonly place: string
  readonly days?: number
  readonly "x-units"?: "metric"
}

interface Report {
  readonly place: string
  readonly degrees: number
}

type Functions = {
  readonly weatherForecast: CallFunction<Place, object, BilledError>
  readonly weatherReport: CallFunction<Report, object, FreeError>
  readonly weatherPing: CallFunction<void, object, FreeError>
  readonly rerank: typeof rerank
}

/** What the generated file exports. The compiler checks the file itself. */
interface Generated extends Functions {
  readonly api: (client: PromiseClient) => OnClient<Functions> & Pick<PromiseClient, "chatCompletionsStream">
  readonly checkContract: ReturnType<typeof contractCheck>
}

const written = project()
let upstream: Server
let gateway: Gateway
let address = ""
let key = ""

interface Heard {
  readonly url: string
  readonly units: unknown
  readonly body: string
}

/** Answers by what it is asked for: a town that it knows, or another. */
const answers = ({ body, units, url }: Heard): readonly [status: number, answer: object] =>
  url.includes("Atlantis") ? [404, { error: "no such town" }] : [200, { degrees: 21, units, path: url, body }]

const forecast = {
  id: "weather.forecast",
  summary: "The weather of the next days */ export const broken = 1",
  description: "As the service of the country says.",
  category: "weather",
  method: "GET",
  path: "/apis/v1/weather/{place}",
  parameters: [
    { name: "place", in: "path", description: "A town" },
    { name: "days", schema: { type: "integer", minimum: 1, maximum: 14 } },
    { name: "rain-only", type: "boolean" },
    { name: "X-Units", in: "header", schema: { enum: ["metric", "imperial"] } }
  ],
  answer: { schema: { $ref: "#/schemas/Forecast" } },
  price: { amount: "0.002" },
  limits: { rpm: 1000, group: "weather" },
  upstream: "weather"
}

const configuration = (baseUrl: string) => ({
  sandbox: true,
  upstreams: { weather: { baseUrl, protocol: "json", private: true } },
  operations: [
    forecast,
    {
      ...forecast,
      id: "weather.report",
      summary: "Report the weather",
      method: "PUT",
      price: "free",
      parameters: [],
      body: { schema: { $ref: "#/schemas/Report" } }
    },
    {
      ...forecast,
      id: "weather.ping",
      summary: "Whether it works",
      path: "/apis/v1/ping",
      price: "free",
      parameters: [],
      answer: { schema: {} }
    }
  ],
  schemas: {
    Report: {
      type: "object",
      required: ["degrees"],
      properties: {
        degrees: { type: "number", description: "In the middle of the day" },
        sky: { anyOf: [{ const: "clear" }, { const: "cloudy" }, { type: "null" }] }
      },
      additionalProperties: false
    },
    Forecast: {
      allOf: [
        { $ref: "#/schemas/Report" },
        {
          type: "object",
          properties: {
            units: { type: "string" },
            next: { $ref: "#/schemas/Forecast" },
            path: { type: "string" },
            body: { type: "string" }
          }
        }
      ]
    }
  }
})

beforeAll(async () => {
  upstream = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      const [status, answer] = answers({ url: request.url ?? "", units: request.headers["x-units"], body })
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done))
  const config = join(folder(), "tollgate.jsonc")
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  writeFileSync(config, JSON.stringify(configuration(baseUrl)))
  gateway = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config })
  address = addressIn(gateway.banner)
  key = keyIn(gateway.banner)
})

afterAll(async () => {
  await gateway?.stop()
  upstream?.close()
  upstream?.closeAllConnections()
  written.remove()
  removeFolders()
})

const codegen = (...words: ReadonlyArray<string>) => tollgate({}, "codegen", "--from", address, ...words)

/** What a program that uses the file may and may not write. */
const uses = `
import type { NotFound, OverBudget, RateLimited } from "@tollgate/client"
import type * as Effect from "effect/Effect"
import { api, weatherForecast, type WeatherForecastAnswer, type WeatherForecastError, type WeatherForecastInput, weatherPing } from "./api.ts"

export const input: WeatherForecastInput = { place: "Rome", days: 3, "rain-only": true, "x-units": "metric" }
export const called: Effect.Effect<WeatherForecastAnswer, WeatherForecastError, unknown> = weatherForecast(input) as never
export const declared: (NotFound | OverBudget | RateLimited) extends WeatherForecastError ? true : false = true
weatherPing()
// @ts-expect-error a misspelt field
weatherForecast({ plaace: "Rome" })
// @ts-expect-error another type
weatherForecast({ place: "Rome", days: "3" })
// @ts-expect-error a missing field
weatherForecast({})
export const promised = async (client: { readonly close: () => Promise<void> }) => {
  const { degrees, next, sky } = await api(client).weatherForecast(input)
  const nested: number | undefined = next?.next?.degrees
  const known: "clear" | "cloudy" | null | undefined = sky
  await api(client).weatherReport({ place: "Rome", degrees: nested ?? 1, sky: "clear" })
  // @ts-expect-error another value
  await api(client).weatherReport({ place: "Rome", degrees: 1, sky: "green" })
  await api(client).quote.weatherForecast(input)
  // @ts-expect-error free operations have no quote
  api(client).quote.weatherPing({})
  for await (const event of api(client).chatCompletionsStream({ model: "m", messages: [] })) event.choices
  return [degrees, known]
}
`

/** The same for the large file, which has pages, uploads, bytes and events. */
const largeUses = `
import { api } from "./large.ts"

export const promised = async (client: { readonly close: () => Promise<void> }) => {
  const large = api(client)
  for await (const page of large.group0Thing0Pages({ id: "1", tags: ["a"] })) {
    const id: string | undefined = page[0]?.id
    if (id === undefined) break
  }
  // @ts-expect-error a missing field
  large.group0Thing0Pages({})
  // @ts-expect-error its answer leads to no other page
  large.group4Thing4Pages({ id: "1" })
  await large.group1Thing1({ id: "1", file: { bytes: new Uint8Array(1), filename: "a.png" } })
  // @ts-expect-error a number is no file
  await large.group1Thing1({ id: "1", file: 3 })
  const { bytes }: { readonly bytes: Uint8Array } = await large.group2Thing2({ id: "1" })
  for await (const { next } of large.group3Thing3Stream({ id: "1" })) if (next?.id === "") break
  return bytes
}
`

describe("a file for a gateway with operations of its own", () => {
  it("is written, readable by all, and not touched again", async () => {
    expect(await codegen("--check", "--out", written.path("api.ts"))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("does not exist")
    })
    const made = await codegen("--out", written.path("api.ts"))
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/api\.ts: \d+ operations, contract [0-9a-f]{12}\n$/)
    })
    expect(statSync(written.path("api.ts")).mode & 0o777).toBe(0o644)
    expect((await codegen("--out", written.path("api.ts"))).stdout).toMatch(/is up to date/)
    expect((await codegen("--check", "--out", written.path("api.ts"))).code).toBe(0)
  })

  it("reads as somebody would write it", () => {
    const code = readFileSync(written.path("api.ts"), "utf8")
    const from = code.indexOf("// weather.forecast")
    expect(code.slice(from, code.indexOf("const functions"))).toMatchSnapshot()
  })

  it("is refused by --check when it is edited, and written over only if it was generated", async () => {
    const edited = written.path("edited.ts")
    writeFileSync(edited, `${readFileSync(written.path("api.ts"), "utf8")}\n`)
    expect(await codegen("--check", "--out", edited)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not what")
    })
    writeFileSync(edited, "export const mine = 1\n")
    expect(await codegen("--out", edited)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("not overwritten")
    })
    writeFileSync(edited, "export {}\n")
  })

  it("holds only what is asked for", async () => {
    const only = written.path("only.ts")
    expect((await codegen("--only", "weather.*, rerank", "--out", only)).stdout).toContain("4 operations")
    const code = readFileSync(only, "utf8")
    expect(code).toContain("export { rerank }")
    expect(code).not.toContain("chatCompletions")
    expect(await codegen("--only", "nothing.*", "--out", only)).toMatchObject({ code: 1 })
  })

  it("remembers what was asked for, until something else is", async () => {
    const only = written.path("only.ts")
    expect(await codegen("--check", "--out", only)).toMatchObject({ code: 0 })
    expect((await codegen("--out", only)).stdout).toContain("is up to date")
    writeFileSync(only, readFileSync(only, "utf8").replace("export { rerank }", ""))
    expect(await codegen("--check", "--out", only)).toMatchObject({ code: 1 })
    expect((await codegen("--out", only)).stdout).toContain("4 operations (weather.*,rerank), contract")
    expect(await codegen("--check", "--only", "*", "--out", only)).toMatchObject({ code: 1 })
    expect((await codegen("--only", "weather.*", "--out", only)).stdout).toContain("3 operations (weather.*), contract")
    expect(await codegen("--check", "--out", only)).toMatchObject({ code: 0 })
  })

  it("is the same from the gateway's document in a file, however it is laid out", async () => {
    const { contentHash } = (await (await fetch(`${address}/api/contracts/version`)).json()) as { contentHash: string }
    const source = await fetch(`${address}/api/contracts/source?hash=${contentHash}&bundled=1`)
    const file = join(folder(), "openapi.json")
    writeFileSync(file, JSON.stringify(await source.json(), undefined, 2))
    expect((await tollgate({}, "codegen", "--check", "--from", file, "--out", written.path("api.ts"))).code).toBe(0)
  })

  it("calls the gateway, with effects and with promises", async () => {
    const api = (await import(/* @vite-ignore */ written.path("api.ts"))) as Generated
    const options = { baseUrl: address, credential: key }
    const layer = Client.layer(options).pipe(Layer.provide(FetchCarrier.layer))
    const answer = await Effect.runPromise(
      api.weatherForecast({ place: "Rome", days: 3, "x-units": "metric" }).pipe(Effect.provide(layer))
    )
    expect(answer).toMatchObject({ path: "/apis/v1/weather/Rome?days=3", units: "metric" })
    const missing = await Effect.runPromise(
      Effect.flip(api.weatherForecast({ place: "Atlantis" })).pipe(Effect.provide(layer))
    )
    expect(missing).toBeInstanceOf(NotFound)

    const client = createClient(options)
    const offered = api.api(client)
    const { cost, value } = await offered.weatherForecast({ place: "Rome" }).withResponse()
    expect([value, cost]).toEqual([
      expect.objectContaining({ degrees: 21 }),
      { state: "settled", micros: 2000, usd: "0.002" }
    ])
    expect(await offered.quote.weatherForecast({ place: "Rome" })).toMatchObject({ max_micros_usd: 2000 })
    const capped = offered.weatherForecast({ place: "Rome" }, { maxPrice: "0.001" })
    await expect(capped).rejects.toBeInstanceOf(OverBudget)
    const limited = offered.rerank({ query: "q", documents: ["a"] }, { scenario: "status; code=429", retries: 0 })
    await expect(limited).rejects.toBeInstanceOf(RateLimited)
    expect(await offered.weatherReport({ place: "Rome", degrees: 20 })).toMatchObject({ body: '{"degrees":20}' })
    expect(await offered.weatherPing()).toMatchObject({ degrees: 21 })
    expect(
      await offered.chatCompletionsStream({ model: "sandbox", messages: [{ role: "user", content: "Hi" }] }).text()
    ).not.toBe("")
    expect(await api.checkContract(client)).toBe("agreed")
    await client.close()
  })

  it("finds out that the gateway has another contract", async () => {
    const other = written.path("other.ts")
    writeFileSync(other, readFileSync(written.path("api.ts"), "utf8").replace(/contractHash = "./, 'contractHash = "x'))
    const api = (await import(/* @vite-ignore */ other)) as Generated
    const client = createClient({ baseUrl: address, credential: key })
    await expect(api.checkContract(client)).rejects.toMatchObject({ _tag: "ContractMismatch" })
    await client.close()
  })
})

describe("what is not a gateway's contract", () => {
  it.each([
    ["a file that is missing", "/nowhere/openapi.json", "cannot be read"],
    ["an address where nothing answers", "http://user:secret@127.0.0.1:1", "Cannot read http://127.0.0.1:1/api"]
  ])("%s", async (_, from, message) => {
    const failed = await tollgate({}, "codegen", "--from", from, "--out", written.path("none.ts"))
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
    expect(failed.stderr).not.toContain("secret")
  })

  it("an answer whose hash is wrong, and a document of something else", async () => {
    const server = createServer((request, response) => {
      response.end(request.url?.includes("version") === true ? JSON.stringify({ contentHash: "0".repeat(64) }) : "{}")
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const failed = await tollgate({}, "codegen", "--from", from, "--out", written.path("none.ts"))
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("does not have the hash") })
    server.close()
    const file = join(folder(), "other.json")
    writeFileSync(file, '{ "openapi": "3.1.0", "paths": { "/a": { "get": { "operationId": "a" } } } }')
    expect((await tollgate({}, "codegen", "--from", file, "--out", written.path("none.ts"))).stderr).toContain(
      "not the OpenAPI"
    )
  })
})

it("imports nothing only because a comment has its name", () => {
  const summary = "Description of a StreamFunction"
  const file = fileOf(sourceOf(documentOf({ "/v1/gist": { get: operation("gist.get", { summary }) } })))
  expect(file).toContain(summary)
  expect(file).not.toMatch(/type (?:Description|StreamFunction)\b/)
})

it("names a first word that is repeated once, unless another operation has that name", () => {
  const namesOf = (...ids: ReadonlyArray<string>) => [...functionNames(ids, new Set(["chatSend"])).values()]
  expect(namesOf("weather.weather.forecast", "weather.weather_now", "weather.weather", "tea.tea")).toEqual([
    "teaTea",
    "weatherWeather",
    "weatherForecast",
    "weatherNow"
  ])
  expect(namesOf("weather.forecast", "weather.weather.forecast")).toEqual([
    "weather_forecast",
    "weather_weather_forecast"
  ])
  expect(namesOf("chat.chat.send")).toEqual(["chat_chat_send"])
})

const documents = Number(process.env["TOLLGATE_CODEGEN_DOCUMENTS"] ?? 12)

it("compiles for any schemas and texts, and for a thousand operations", async () => {
  written.write("uses.ts", uses)
  written.write("largeUses.ts", largeUses)
  const before = performance.now()
  written.write("large.ts", fileOf(sourceOf(largeDocument(1000))))
  const generated = performance.now()
  const seen = fc.sample(anyDocument, documents)
  for (const [i, document] of seen.entries()) written.write(`any${i}.ts`, fileOf(sourceOf(document)))
  const compiling = performance.now()
  expect(await written.problems()).toBe("")
  console.log(
    `1,000 operations generated in ${Math.round(generated - before)} ms; ` +
      `they and ${documents} files compiled in ${Math.round(performance.now() - compiling)} ms`
  )
  for (const document of seen) expect(fileOf(sourceOf(document))).not.toMatch(/^export const broken/m)
})
