import { execFile } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, describe, expect, it } from "vitest"
import { curlIn, folder } from "../program.ts"
import { type Gateway, startGateway, tollgate } from "../tollgate.ts"

const keys = {
  OPENAI_API_KEY: "sk-of-openai",
  ANTHROPIC_API_KEY: "sk-of-anthropic",
  GOOGLE_API_KEY: "of-google",
  XAI_API_KEY: "of-xai",
  DEEPSEEK_API_KEY: "of-deepseek"
}

describe("tollgate init", () => {
  it("writes a configuration that passes the check, and no key", async () => {
    const file = join(folder(), "tollgate.jsonc")
    const { code, stderr, stdout } = await tollgate(keys, "init", "--out", file)
    expect([code, stderr]).toEqual([0, ""])
    const text = readFileSync(file, "utf8")
    for (const key of Object.values(keys)) expect(text + stdout).not.toContain(key)
    expect(text).toContain('"credential": { "env": "GOOGLE_API_KEY" }')
    expect(stdout).toContain("list prices, in USD, are what your callers pay")
    expect(text).toMatch(/"gemini-2\.5-pro": \{[^}]*"longPrompt": \{ "above": 200000, "input": "2\.50", "output": "15"/)
    expect(text).toContain('"periods": [{ "from": "2026-12-01", "rates": "2" }]')
    expect(text).toContain('"tools": { "web_search": "0.01", "web_fetch": "0" }')
    expect(text).not.toContain("gpt-image")
    expect(stdout).toContain(`TOLLGATE_CONFIG=${file} tollgate start`)
    expect(await tollgate(keys, "config", "check", file)).toEqual({ code: 0, stdout: "ok\n", stderr: "" })
  })

  it("has the listed prices of operations that are not by model", async () => {
    const file = join(folder(), "tollgate.jsonc")
    const { stdout } = await tollgate({ CO_API_KEY: "k" }, "init", "--out", file)
    expect(stdout).toContain("list prices, in USD, are what your callers pay")
    expect(readFileSync(file, "utf8")).toMatch(
      /"models": \[\],[^]*"models": \{\},[^]*"rerank\.v2": \{ "perUnit": "0\.0025" \}/
    )
  })

  const written = async (environment: Readonly<Record<string, string>>, ...more: ReadonlyArray<string>) => {
    const file = join(folder(), "tollgate.jsonc")
    const { code, stderr, stdout } = await tollgate(environment, "init", "--out", file, ...more)
    expect([code, stderr]).toEqual([0, ""])
    expect(await tollgate(environment, "config", "check", file)).toEqual({ code: 0, stdout: "ok\n", stderr: "" })
    return { text: readFileSync(file, "utf8"), stdout }
  }

  it("knows the addresses of providers that speak OpenAI's protocol, and what they lack", async () => {
    const { stdout, text } = await written({
      MISTRAL_API_KEY: "k",
      GROQ_API_KEY: "k",
      TOGETHER_API_KEY: "k",
      FIREWORKS_API_KEY: "k",
      OPENROUTER_API_KEY: "k"
    })
    expect(text).toContain(
      '"mistral": { "baseUrl": "https://api.mistral.ai", "protocol": "openai", "credential": { "env": "MISTRAL_API_KEY" }, "outputLimit": "max_tokens", "lacks": ["responses", "stream_options"] }'
    )
    // The first serves all models without a route, the others show how to name theirs.
    expect(text).toContain('{ "operation": "chat.completions", "to": [{ "upstream": "groq" }] }')
    expect(text).toContain(
      '// Name its models: { "operation": "chat.completions", "model": "name", "to": [{ "upstream": "together" }] }'
    )
    expect(text).toContain("The models of groq are not in the price list")
    expect(text).toContain('// openrouter reports its cost; if it alone serves an operation: "chat.completions"')
    expect(stdout).toContain("Set prices for the models of fireworks")
  })

  it("prices what OpenRouter alone serves by the cost that it reports", async () => {
    const { stdout, text } = await written({ OPENROUTER_API_KEY: "k" })
    expect(text).toMatch(/^ +"chat\.completions": \{ "contract": "reported_cost", "cost": "usage\.cost"/m)
    expect(stdout).not.toContain("Set prices")
  })

  it("takes Azure's address from its variable, and its key in api-key", async () => {
    const environment = { AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "https://acme.openai.azure.com/" }
    const { text } = await written(environment)
    expect(text).toContain(
      '"azure": { "baseUrl": "https://acme.openai.azure.com/openai", "protocol": "openai", "credential": { "env": "AZURE_OPENAI_API_KEY", "header": "api-key" } }'
    )
    expect(text).toContain('{ "operation": "chat.completions", "to": [{ "upstream": "azure" }] }')
    const none = await tollgate({ AZURE_OPENAI_API_KEY: "k" }, "init", "--out", join(folder(), "a.jsonc"))
    expect(none.code).toBe(1)
  })

  it("writes the accounts of clouds, whose variables name the place too, and no secret", async () => {
    const file = join(folder(), "service-account.json")
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
    const key = privateKey.export({ type: "pkcs8", format: "pem" })
    const token_uri = "https://oauth2.googleapis.com/token"
    writeFileSync(file, JSON.stringify({ client_email: "a@b.example", private_key: key, token_uri }))
    const aws = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "of-aws", AWS_REGION: "eu-west-1" }
    const google = {
      GOOGLE_APPLICATION_CREDENTIALS: file,
      GOOGLE_CLOUD_PROJECT: "acme",
      GOOGLE_CLOUD_LOCATION: "global"
    }
    const { text } = await written({ ...aws, ...google, GEMINI_API_KEY: "of-gemini" })
    expect(text).toContain('"bedrock": { "protocol": "bedrock", "cloud": { "aws": { "region": "eu-west-1" } } }')
    expect(text).toContain(
      `"google": { "project": "acme", "location": "global", "serviceAccount": { "file": "${file}" } }`
    )
    // One route for the models that both serve.
    expect(text).toContain(
      '{ "operation": "models.generate_content", "model": "gemini-*", "to": [{ "upstream": "google" }, { "upstream": "vertex" }] }'
    )
    for (const secret of ["of-aws", "of-gemini", "PRIVATE KEY"]) expect(text).not.toContain(secret)
    expect((await tollgate({ ...aws, AWS_REGION: "" }, "init", "--out", join(folder(), "a.jsonc"))).code).toBe(1)
  })

  it("knows where Ollama and vLLM listen", async () => {
    const { text } = await written({}, "--compatible", "ollama")
    expect(text).toContain('"ollama": { "baseUrl": "http://127.0.0.1:11434", "protocol": "openai", "private": true }')
    expect((await written({}, "--compatible", "vllm")).text).toContain("http://127.0.0.1:8000")
  })

  it("leaves a file that exists as it is", async () => {
    const file = join(folder(), "tollgate.jsonc")
    writeFileSync(file, "mine")
    const { code, stderr } = await tollgate(keys, "init", "--out", file)
    expect([code, stderr]).toEqual([1, `${file} exists, and stays as it is; --out names another file\n`])
    expect(readFileSync(file, "utf8")).toBe("mine")
  })

  it("says which variables it looked for if none is set", async () => {
    const into = folder()
    const { code, stderr } = await tollgate({ OPENAI_API_KEY: "" }, "init", "--out", join(into, "a.jsonc"))
    expect([code, stderr]).toEqual([1, expect.stringContaining("OPENAI_API_KEY, ANTHROPIC_API_KEY")])
    expect(readdirSync(into)).toEqual([])
  })

  it.each([
    ["Local=http://localhost:1", "--compatible: write name=address"],
    ["local", "--compatible: write name=address"],
    ["local=ftp://files", "--compatible: expected an address"],
    ["local=https://user:password@host", "--compatible: the address must not contain a user"],
    ["openai=https://host", "--compatible: openai is the name of a provider"]
  ])("refuses --compatible %s", async (given, expected) => {
    const { code, stderr } = await tollgate(keys, "init", "--compatible", given, "--out", join(folder(), "a.jsonc"))
    expect([code, stderr]).toEqual([1, expect.stringContaining(expected)])
    expect(stderr).not.toContain("password@")
  })

  it("refuses a second server that would serve all other models", async () => {
    const environment = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://models.example/v1" }
    const given = ["--compatible", "local=http://localhost:1/v1", "--out", join(folder(), "a.jsonc")]
    const { code, stderr } = await tollgate(environment, "init", ...given)
    expect([code, stderr]).toEqual([1, expect.stringContaining("OPENAI_BASE_URL names another such server")])
  })

  it("takes another address from OPENAI_BASE_URL, and offers no models of the list for it", async () => {
    const file = join(folder(), "tollgate.jsonc")
    const environment = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://models.example/openai" }
    const { code } = await tollgate(environment, "init", "--out", file)
    expect(code).toBe(0)
    const text = readFileSync(file, "utf8")
    expect(text).toContain('"to": [{ "upstream": "openai", "path": "/chat/completions" }]')
    expect(text).not.toContain("gpt-")
    expect(text).toContain('"models": [],')
    expect(text).toContain("The models of openai are not in the price list")
  })
})

describe("tollgate config check without a file", () => {
  it("checks that of TOLLGATE_CONFIG, and says so in its help", async () => {
    const file = join(folder(), "tollgate.jsonc")
    writeFileSync(file, "{}")
    expect(await tollgate({ TOLLGATE_CONFIG: file }, "config", "check")).toEqual({
      code: 0,
      stdout: "ok\n",
      stderr: ""
    })
    writeFileSync(file, '{ "price": {} }')
    expect((await tollgate({ TOLLGATE_CONFIG: file }, "config", "check")).stderr).toContain('did you mean "prices"?')
    expect((await tollgate({}, "config", "check", "--help")).stdout).toContain("TOLLGATE_CONFIG")
  })

  it("says what to name if there is none", async () => {
    const stderr = "Name the configuration file: tollgate config check tollgate.jsonc, or TOLLGATE_CONFIG.\n"
    expect(await tollgate({}, "config", "check")).toEqual({ code: 1, stdout: "", stderr })
  })
})

describe("a gateway on the file of tollgate init", () => {
  const servers: Array<Server> = []
  let gateway: Gateway | undefined
  afterEach(async () => {
    await gateway?.stop()
    for (const server of servers.splice(0)) server.close()
  })

  it("calls a server that speaks OpenAI's protocol, once its model has a price", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    const seen: Array<string> = []
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`)
      response.setHeader("content-type", "application/json")
      response.end(
        JSON.stringify({ id: "1", choices: [{ index: 0, message: { role: "assistant", content: "hi" } }], usage })
      )
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const at = `local=http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const data = folder()
    const file = join(data, "tollgate.jsonc")
    const environment = { LOCAL_API_KEY: "of-local", TOLLGATE_CONFIG: file, TOLLGATE_DATA: join(data, "data") }
    expect((await tollgate(environment, "init", "--compatible", at, "--out", file)).code).toBe(0)
    const price = '"models": { "llama": { "input": "1", "output": "2" },'
    const listed = readFileSync(file, "utf8").replace('"models": []', '"models": [{ "id": "llama" }]')
    writeFileSync(file, listed.replace('"models": {', price))

    gateway = await startGateway(environment)
    // The call that the banner shows works as it is.
    const { stdout } = await promisify(execFile)("bash", ["-c", `${curlIn(gateway.banner)} --silent --include`])
    expect(stdout).toMatch(/^HTTP\/1.1 200/)
    expect(stdout).toContain("x-tollgate-cost-micros-usd: 20\r\n")
    expect(seen).toEqual(["/v1/chat/completions Bearer of-local"])
  })
})

describe("tollgate prices diff", () => {
  const listed = {
    provider: "openai",
    model: "gpt-x",
    input: "2.5",
    output: "10",
    maxOutput: 1000,
    day: "2027-01-02",
    source: "https://prices.example"
  }
  const written = (list: unknown, models: unknown = { "gpt-x": { input: "2.50", output: "8" } }) => {
    const into = folder()
    const files = { list: join(into, "list.json"), config: join(into, "tollgate.jsonc") }
    writeFileSync(files.list, typeof list === "string" ? list : JSON.stringify(list))
    writeFileSync(files.config, JSON.stringify({ prices: { models } }))
    return files
  }

  it("shows what a newer list changes and adds, and needs no key", async () => {
    const { config, list } = written({ day: "2027-01-02", models: [listed, { ...listed, model: "gpt-y" }] })
    const before = readFileSync(config, "utf8")
    const { code, stdout } = await tollgate({}, "prices", "diff", list, "--config", config, "--json")
    const same = { day: "2027-01-02", source: "https://prices.example" }
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      [
        { name: "gpt-x", field: "output", now: "8", listed: "10", ...same },
        { name: "gpt-x", field: "maxOutput", listed: 1000, ...same },
        { name: "gpt-y", listed: "2.5 / 10", ...same }
      ]
    ])
    expect(readFileSync(config, "utf8")).toBe(before)
  })

  it("compares the prices of long prompts too", async () => {
    const longPrompt = { above: 200_000, input: "5", output: "15" }
    const models = [{ ...listed, maxOutput: undefined, longPrompt }]
    const now = { "gpt-x": { input: "2.5", output: "10", longPrompt: { above: 128_000, input: "5.00" } } }
    const { config, list } = written({ day: "2027-01-02", models }, now)
    const { stdout } = await tollgate({}, "prices", "diff", list, "--config", config, "--json")
    expect(JSON.parse(stdout)).toMatchObject([
      { name: "gpt-x", field: "longPrompt.above", now: 128_000, listed: 200_000 },
      { name: "gpt-x", field: "longPrompt.output", listed: "15" }
    ])
  })

  it("compares every dimension, and leaves alone what only the configuration has", async () => {
    const rich = {
      ...listed,
      maxOutput: undefined,
      audioInput: "32",
      tiers: { flex: "0.5", fast: { input: "12.50", output: "75" }, batch: "0.5" },
      regions: { us: "1.1" },
      tools: { web_search: "0.01", googleSearch: { perCall: "0.035" } },
      periods: [{ from: "2027-02-01", hours: ["01:00-04:00"], days: ["mon"], rates: { input: "5.0" } }],
      thinks: true
    }
    const now = {
      input: "2.50",
      output: "10",
      audioInput: "32.00",
      cacheWriteLong: "1",
      tiers: { flex: "0.6", fast: "2", batch: "0.50", own: "3" },
      tools: { web_search: "0.010", googleSearch: "0.014" },
      periods: [{ from: "2027-02-01", hours: ["01:00-04:00"], days: ["mon"], rates: { input: "5" } }]
    }
    const { config, list } = written({ day: "2027-01-02", models: [rich] }, { "gpt-x": now })
    const { stdout } = await tollgate({}, "prices", "diff", list, "--config", config, "--json")
    const changes = JSON.parse(stdout) as ReadonlyArray<{ field: string; now?: unknown; listed: unknown }>
    expect(changes.map(({ field, listed, now }) => [field, now, listed])).toEqual([
      ["tiers.flex", "0.6", "0.5"],
      ["tiers.fast", "2", { input: "12.50", output: "75" }],
      ["regions.us", undefined, "1.1"],
      ["tools.googleSearch", "0.014", { perCall: "0.035" }],
      ["thinks", undefined, true]
    ])
    const table = (await tollgate({}, "prices", "diff", list, "--config", config)).stdout
    expect(table).toMatch(/gpt-x +tiers\.flex +0\.6 +0\.5 +2027-01-02/)
    expect(table).toContain('{"perCall":"0.035"}')
    const later = { ...now, periods: [{ from: "2027-03-01", rates: "2" }] }
    const other = written({ day: "2027-01-02", models: [rich] }, { "gpt-x": later })
    const shown = await tollgate({}, "prices", "diff", other.list, "--config", other.config, "--json")
    expect(JSON.parse(shown.stdout)).toContainEqual(expect.objectContaining({ field: "periods", now: later.periods }))
  })

  it.each([
    ["all providers", { ...keys, CO_API_KEY: "k" }],
    ["one provider", { CO_API_KEY: "k" }]
  ])("finds nothing to change in a file that init has just written for %s", async (_, environment) => {
    const file = join(folder(), "tollgate.jsonc")
    await tollgate(environment, "init", "--out", file)
    const { stdout } = await tollgate({ TOLLGATE_CONFIG: file }, "prices", "diff")
    expect(stdout).toMatch(/^The list of \d{4}-\d{2}-\d{2} changes nothing\.\n$/)
  })

  it.each([
    ["not json", "is not JSON"],
    [{ day: "2027-01-02", models: [{ ...listed, input: 2.5 }] }, "models[0].input"],
    [{ day: "2027-01-02", models: [{ ...listed, note: "a\n}" }] }, "models[0].note"],
    [{ day: "2027-01-02", models: [{ ...listed, tiers: { flex: 0.5 } }] }, "models[0].tiers.flex"],
    [{ day: "2027-01-02", models: [{ ...listed, tier: { flex: "0.5" } }] }, "models[0].tier"],
    [{ day: "2027-01-02", models: [{ ...listed, tools: { search: { perCal: "1" } } }] }, "models[0].tools.search"],
    [{ day: "2027-01-02", models: [{ ...listed, periods: [{ from: "soon", rates: "2" }] }] }, "models[0].periods[0]"],
    [{ day: "soon", models: [] }, "day"]
  ])("refuses a list that is not one", async (list, expected) => {
    const { config, list: path } = written(list)
    const { code, stderr } = await tollgate({}, "prices", "diff", path, "--config", config)
    expect([code, stderr]).toEqual([1, expect.stringContaining(expected)])
  })
})
