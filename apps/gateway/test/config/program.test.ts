import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "../program.ts"
import { type Gateway, startGateway, tollgate } from "../tollgate.ts"

const root = folder()
const running: Array<Gateway> = []
afterEach(() => Promise.all(running.splice(0).map((gateway) => gateway.stop())))
afterAll(removeFolders)

let files = 0
const fileOf = (content: string): string => {
  const path = join(root, `tollgate-${files++}.jsonc`)
  writeFileSync(path, content)
  return path
}

const gateway = async (config: string) => {
  const started = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: fileOf(config) })
  running.push(started)
  const [address, key] = [addressIn(started.banner), keyIn(started.banner)]
  return { address, key, rerank: (headers = {}) => rerank(address, key, headers) }
}

const quoteOf = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>
const costOf = (answer: Response): ReadonlyArray<string | null> => [
  answer.headers.get("x-tollgate-cost-state"),
  answer.headers.get("x-tollgate-cost-micros-usd")
]

const quote = { "x-tollgate-cost-mode": "quote" }
const quoteOfChat = async (address: string, key: string, model: string) => {
  const answer = await fetch(`${address}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...quote },
    body: JSON.stringify({ model, max_tokens: 100, messages: [] })
  })
  return { status: answer.status, body: JSON.stringify(await answer.json()) }
}

describe("a price in the configuration file", () => {
  it("is quoted and charged", async () => {
    const { rerank } = await gateway(
      '{ "prices": { "operations": { "rerank": { "perMillion": "1000" } } } } // expensive'
    )
    const quoted = await quoteOf(rerank(quote))
    expect(quoted).toMatchObject({
      price_contract: "per_token",
      basis: expect.stringContaining("$1000 / 1M tokens")
    })
    const answer = await rerank()
    const { usage } = (await answer.json()) as { readonly usage: { readonly total_tokens: number } }
    expect(costOf(answer)).toEqual(["settled", String(usage.total_tokens * 1000)])
    expect(usage.total_tokens * 1000).toBeLessThanOrEqual(Number(quoted.max_micros_usd))
  })

  it('may be "free": nothing is charged', async () => {
    const { address, key, rerank } = await gateway('{ "prices": { "operations": { "rerank": "free" } } }')
    const answer = await rerank()
    expect([answer.status, ...costOf(answer)]).toEqual([200, "none", null])
    expect(await quoteOf(rerank(quote))).toMatchObject({ error: { code: "quote_unsupported" } })
    const usage = await fetch(`${address}/v1/usage?start_time=1700000000`, {
      headers: { authorization: `Bearer ${key}` }
    })
    expect(JSON.stringify(await usage.json())).not.toMatch(/"charged_micros_usd":[1-9]/)
  })

  it("per request is the same for every call", async () => {
    const { rerank } = await gateway(
      '{ "prices": { "operations": { "rerank": { "contract": "per_request", "amount": "0.01" } } } }'
    )
    expect(costOf(await rerank())).toEqual(["settled", "10000"])
  })

  it("of a model makes that model callable, and no other", async () => {
    const { address, key } = await gateway('{ "prices": { "models": { "small": { "input": "1", "output": "2" } } } }')
    expect((await quoteOfChat(address, key, "small")).status).toBe(200)
    const unpriced = await quoteOfChat(address, key, "large")
    expect(unpriced.status).toBe(404)
    expect(unpriced.body).toContain("model_not_found")
  })
})

describe("the configuration file", () => {
  it("sets the signup credit of a new account", async () => {
    const prices = '"prices": { "operations": { "rerank": { "contract": "per_request", "amount": "0.01" } } }'
    const { rerank } = await gateway(`{ ${prices}, "signupCredit": "0.015" }`)
    expect((await rerank()).status).toBe(200)
    expect((await rerank()).status).toBe(402)
  })

  it("sets the request limit of model operations", async () => {
    const models = '"prices": { "models": { "small": { "input": "1", "output": "2" } } }'
    const { address, key } = await gateway(`{ ${models}, "limits": { "upstreamRpm": 1 } }`)
    expect((await quoteOfChat(address, key, "small")).status).toBe(200)
    expect((await quoteOfChat(address, key, "small")).status).toBe(429)
  })

  it("replays a repeated call from the first answer when replayByDefault is on", async () => {
    const { rerank } = await gateway('{ "replayByDefault": true }')
    const repeated = { "idempotency-key": "one" }
    expect((await rerank(repeated)).status).toBe(200)
    const second = await rerank(repeated)
    expect([second.status, second.headers.get("idempotent-replayed")]).toEqual([200, "true"])
  })
})

describe("tollgate config", () => {
  const command = (...words: ReadonlyArray<string>) => tollgate({ OPENAI_API_KEY: "sk-s3cret" }, "config", ...words)

  it("check prints ok for a valid file", async () => {
    const path = fileOf(
      '{ "upstreams": { "o": { "baseUrl": "https://h", "protocol": "openai", "credential": { "env": "OPENAI_API_KEY" }, }, }, }'
    )
    expect(await command("check", path)).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" })
  })

  it("check prints every error, and so does the start", async () => {
    const path = fileOf('{\n  "naems": {},\n  "signupCredit": 5\n}')
    const lines = [
      `${path} has 2 errors`,
      `  ${path}:2:3: naems: not a known key; did you mean "names"?`,
      `  ${path}:3:3: signupCredit: expected an amount of USD in quotes, with at most six decimals, such as "5", found a number`,
      ""
    ].join("\n")
    expect(await command("check", path)).toMatchObject({ code: 1, stdout: "", stderr: lines })
    expect(await tollgate({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: path }, "start")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `TOLLGATE_CONFIG: ${lines}`
    })
    expect(await command("check", join(root, "none"))).toMatchObject({
      code: 1,
      stderr: `cannot read ${join(root, "none")} (ENOENT)\n`
    })
  })

  it("schema prints a JSON Schema, with the names that a file sets", async () => {
    const operationsIn = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
      const { code, stdout } = await command("schema", ...words)
      expect(code).toBe(0)
      const schema: unknown = JSON.parse(stdout)
      expect(schema).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        additionalProperties: false,
        properties: { signupCredit: { type: "string" } }
      })
      const { properties } = schema as { properties: { bindings: { properties: Record<string, unknown> } } }
      return Object.keys(properties.bindings.properties)
    }
    expect(await operationsIn()).toContain("social_a.tweet_quotes")
    expect(await operationsIn(fileOf('{ "names": { "social_a": "chirper" } }'))).toContain("chirper.tweet_quotes")
  })
})
