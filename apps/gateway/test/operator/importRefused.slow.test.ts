import { readdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { get } from "../operations/documents.ts"
import { startProgram } from "../program.ts"
import { importsOf, messageOf, petsDocument } from "./importing.ts"
import { operatedGateway } from "./setup.ts"

const own = {
  id: "pets.list",
  category: "pets",
  summary: "Ours",
  method: "GET",
  path: "/apis/v1/pets/pets",
  price: "free",
  upstream: "shop-1"
}
const text = JSON.stringify({
  operations: [own],
  upstreams: {
    "shop-1": { baseUrl: "https://shop.example.com", protocol: "json", credential: { env: "UPSTREAM_SHOP_1" } },
    tools: { baseUrl: "https://tools.example.com/mcp", protocol: "mcp" }
  },
  sandbox: true
})

const gateway = operatedGateway(text, { TOLLGATE_CONFIG_WRITE: "on", UPSTREAM_SHOP_1: "a-secret" }, startProgram)
const { path, send } = gateway
const { apply, ask, preview } = importsOf(gateway)

const base_url = "https://pets.example.com"
const document = petsDocument()

afterEach(() => {
  expect(readFileSync(path, "utf8")).toBe(text)
  expect(readdirSync(dirname(path))).toHaveLength(1)
})

/** What the preview and applying it say of the same request. */
const refusals = async (request: Parameters<typeof ask>[0]) => {
  const { fingerprint, problems } = await preview(request)
  const applied = await apply(request, fingerprint)
  expect([applied.status, messageOf(applied)]).toEqual([400, problems.join("\n")])
  return problems.join("\n")
}

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
/** Each line has the one before it twice. */
const aliases = `a0: &a0 [x, x]\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join("")}`

describe("a document that cannot be imported changes nothing", () => {
  it.each([
    ["is empty", ""],
    ['it has no "openapi"', "no"],
    ["is not JSON", "{"],
    ["is neither JSON nor YAML", "a: ["],
    ["The document is", "<!doctype html><title>Sign in</title>"],
    ['it has no "openapi"', "null"],
    ["is Swagger 2", '{"swagger":"2.0"}'],
    ["is OpenAPI 4.0.0", '{"openapi":"4.0.0","paths":{}}'],
    ["has no paths", '{"openapi":"3.1.0"}'],
    ["has no operations", '{"openapi":"3.1.0","paths":{}}'],
    ["is nested deeper than 200 levels", `{"openapi":"3.1.0","paths":{},"x-a":${deep(300)}}`],
    ["The document", `{"openapi":"3.1.0","paths":{},"x-a":${deep(1_000_000)}}`],
    ["The document is neither JSON nor YAML", `openapi: 3.1.0\n${aliases}`]
  ])("one that %s", async (words, document) => {
    const answer = await ask({ document })
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining(words)])
  })

  it("and it cannot be applied either", async () => {
    const answer = await apply({ document: "<html>" }, "")
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining("The document is")])
  })

  it("one that is too large is refused before it is read", async () => {
    const answer = await ask({ document: "x".repeat(21 * 1024 * 1024) })
    expect(answer.status).toBe(413)
  })

  it("one that makes too large a file is refused", async () => {
    // A schema of 100 kB that a few hundred operations hold inline.
    const schema = { type: "object", description: "x".repeat(100_000) }
    const responses = { "200": { content: { "application/json": { schema: "*s" } } } }
    const paths = Array.from({ length: 200 }, (_, i) => [`/p${i}`, get({ responses })] as const)
    const yaml = `x-s: &s ${JSON.stringify(schema)}\n${Object.entries(
      JSON.parse(petsDocument(Object.fromEntries(paths))) as object
    )
      .map(([key, value]) => `${key}: ${JSON.stringify(value).replaceAll('"*s"', "*s")}`)
      .join("\n")}`
    expect(yaml.length).toBeLessThan(200_000)
    const answer = await ask({ document: yaml, base_url })
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining("more than 16 MB")])
  })

  it("one with more than 2,000 operations is left to the command line", async () => {
    const some = (count: number) =>
      petsDocument(
        Object.fromEntries(Array.from({ length: count }, (_, i) => [`/p${i}`, get({ operationId: `p${i}` })]))
      )
    expect(await preview({ document: some(2_000), base_url })).toMatchObject({ count: 2_000, problems: [] })
    const answer = await apply({ document: some(2_001), base_url }, "")
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining("would have 2001 operations")])
    expect(messageOf(answer)).toContain("`tollgate operations import`")
  })

  it("references in a circle are imported as far as they go", async () => {
    const schemas = { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } }
    const schema = { $ref: "#/components/schemas/A" }
    const cats = get({ responses: { "200": { content: { "application/json": { schema } } } } })
    const round = petsDocument({ "/cats": cats, "/dogs": { $ref: "#/paths/~1dogs" } }, { components: { schemas } })
    const shown = await preview({ document: round, base_url })
    expect(shown).toMatchObject({ count: 1, problems: [] })
    expect(shown.report.join("\n")).toContain("refers to itself")
  })

  it("names of every object are names like any other", async () => {
    const schema = { $ref: "#/components/schemas/constructor" }
    const answers = { responses: { "200": { content: { "application/json": { schema } } } } }
    const odd = petsDocument(
      { "/__proto__": get({ operationId: "__proto__" }), "/constructor": get({ operationId: "toString", ...answers }) },
      { components: { schemas: { constructor: { type: "string" } } } }
    ).replace('"info":{', '"__proto__":{"polluted":true},"info":{"__proto__":{"polluted":true},')
    for (const upstream of ["constructor", "toString", "prototype"]) {
      const shown = await preview({ document: odd, upstream, base_url })
      expect(shown).toMatchObject({ count: 2, problems: [] })
      expect(JSON.stringify(shown.config)).toContain(`{"upstreams":{"${upstream}":{"baseUrl":"${base_url}"`)
    }
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
    expect((await ask({ document: odd, upstream: "__proto__" })).status).toBe(400)
  })

  it("if nothing can be sold, the report says why", async () => {
    const shown = await preview({ document: petsDocument({ "/a b": get() }), base_url })
    expect(shown).toMatchObject({ change: "nothing", count: 0, config: expect.anything() })
    expect(shown.report.join("\n")).toContain("the gateway cannot have this path")
    expect((await apply({ document: petsDocument({ "/a b": get() }) }, shown.fingerprint)).status).toBe(400)
  })
})

describe("an import that the configuration would refuse changes nothing", () => {
  it("ids and paths that another operation has", async () => {
    expect(await refusals({ document, base_url })).toContain("pets.operations.json: operations[0].id: ")
    // With another prefix it is no other's.
    expect(await preview({ document, base_url, prefix: "zoo" })).toMatchObject({ problems: [] })
  })

  it("an upstream of another protocol", async () => {
    expect(await refusals({ document: petsDocument({ "/cats": get() }), upstream: "tools" })).toContain("tool")
  })

  it("addresses that no upstream can have, and private ones that nobody allowed", async () => {
    const cats = petsDocument({ "/cats": get() })
    expect(await refusals({ document: cats })).toContain("Give the address of the upstream")
    for (const [address, words] of [
      ["ftp://pets.example.com", "starts with https://"],
      ["https://user:word@pets.example.com", "must not contain a user or password"],
      ["http://pets.example.com", "use https"],
      ["http://169.254.169.254", "this address is private"],
      ["http://127.0.0.1:1", "this address is private"]
    ] as const) {
      const told = await refusals({ document: cats, base_url: address })
      expect(told).toContain(words)
      expect(told).not.toContain("word@")
    }
    // The document cannot allow it either.
    const hostile = petsDocument({ "/cats": get() }, { servers: [{ url: "http://169.254.169.254/latest" }] })
    expect(await refusals({ document: hostile })).toContain("this address is private")
  })

  it("a credential whose variable is not set, or that is another upstream's", async () => {
    const cats = petsDocument({ "/cats": get() })
    const shown = await preview({ document: cats, base_url, credential: { header: "X-Api-Key" } })
    expect(shown.variable).toBe("UPSTREAM_PETS")
    expect(shown.config).toHaveProperty("upstreams.pets.credential", { env: "UPSTREAM_PETS", header: "X-Api-Key" })
    expect(await refusals({ document: cats, base_url, credential: {} })).toContain(
      "the environment variable UPSTREAM_PETS is not set"
    )
    expect(await refusals({ document: cats, base_url, credential: {}, upstream: "shop.1" })).toContain(
      "The file uses UPSTREAM_SHOP_1 for something else"
    )
  })

  it("an upstream that exists keeps its address and credential", async () => {
    const cats = petsDocument({ "/cats": get() })
    const shown = await preview({ document: cats, upstream: "shop-1", base_url, credential: {}, private: true })
    expect(shown).toMatchObject({ config: { operations: [{ file: "shop-1.operations.json" }] }, variable: null })
    expect(shown.config).not.toHaveProperty("upstreams")
    expect(shown.report.join("\n")).toContain("It stays as it is.")
  })

  it.each([
    { upstream: "" },
    { upstream: "../pets" },
    { upstream: "a\nb" },
    { upstream: "x".repeat(65) },
    { price: "-1" },
    { price: "1e3" },
    { price: "0.0000000001" },
    { prefix: "a/b" },
    { prefix: "../a" },
    { only: Array<string>(101).fill("a") },
    { credential: { header: "a b" } },
    { credential: { env: "TOLLGATE_ADMIN_TOKEN" } },
    { out: "/etc/passwd" },
    { document: undefined }
  ])("%j", async (part) => {
    const answer = await send("POST", "/imports/preview", { document, upstream: "pets", ...part })
    expect(answer.status).toBe(400)
  })

  it("patterns that match nothing", async () => {
    const answer = await ask({ document, only: ["/none"] })
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining('matches "only"')])
  })
})
