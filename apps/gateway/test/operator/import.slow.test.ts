import type { Trail } from "@tollgate/contract/admin/Trail"
import type { PriceFile } from "@tollgate/contract/admin/Prices"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { get } from "../operations/documents.ts"
import { folder, startProgram } from "../program.ts"
import { tollgate } from "../tollgate.ts"
import { importsOf, messageOf, petsDocument, petsUpstream } from "./importing.ts"
import { operatedGateway } from "./setup.ts"

const text = `{
  // Our own
  "operations": [
    {
      "id": "shop.hours", "category": "shop", "summary": "When the shop is open", "method": "GET",
      "path": "/apis/v1/shop/hours", "price": "free", "upstream": "shop"
    } // since May
  ],
  "upstreams": {
    "shop": { "baseUrl": "https://shop.example.com", "protocol": "json" } // the first
  },
  "sandbox": true, // always
}
`

const secret = "a-secret-of-the-pets"
const gateway = operatedGateway(
  text,
  { TOLLGATE_CONFIG_WRITE: "on", UPSTREAM_PETS: secret, UPSTREAM_SHOP: "another" },
  startProgram
)
const { address, caller, path, post, read, send, write } = gateway
const { apply, ask, preview } = importsOf(gateway)
const upstream = petsUpstream()

const file = join(dirname(path), "pets.operations.json")
const inFolder = () => readdirSync(dirname(path)).filter((name) => name !== basename(path))
const listPets = () => caller().send({ path: "/apis/v1/pets/pets" })
const records = async () => (await read<Trail>("/trail?of=configuration&limit=1000")).trail

const pets = async () => ({
  document: petsDocument(),
  base_url: await upstream.address(),
  private: true,
  credential: {},
  price: "0.002"
})

afterEach(async () => {
  write(text)
  for (const name of inFolder()) rmSync(join(dirname(path), name), { recursive: true })
  expect(await post("/config/reload")).toMatchObject({ in_force: true })
})

describe("an API is added to the configuration by the gateway", () => {
  it("a preview writes nothing, and applying it sells the API at once", async () => {
    chmodSync(path, 0o640)
    const asked = await pets()
    const shown = await preview(asked)
    expect(shown).toMatchObject({
      change: "new",
      file: "pets.operations.json",
      count: 1,
      operations: [{ id: "pets.list", method: "GET", path: "/apis/v1/pets/pets", price: { amount: "0.002" } }],
      config: {
        upstreams: {
          pets: { baseUrl: asked.base_url, protocol: "json", private: true, credential: { env: "UPSTREAM_PETS" } }
        },
        operations: [{ file: "pets.operations.json" }]
      },
      variable: "UPSTREAM_PETS",
      problems: [],
      refusal: null
    })
    expect([inFolder(), readFileSync(path, "utf8")]).toEqual([[], text])
    expect((await listPets()).status).toBe(404)

    const applied = await apply(asked, shown.fingerprint)
    expect([applied.status, applied.json()]).toEqual([200, { file: "pets.operations.json", count: 1 }])
    expect(readFileSync(file, "utf8")).toBe(shown.file_text)
    expect([path, file].map((one) => statSync(one).mode & 0o777)).toEqual([0o640, 0o640])
    const entry = JSON.stringify(asked.base_url)
    expect(readFileSync(path, "utf8")).toBe(
      text
        .replace("} // since May", '}, // since May\n    {\n      "file": "pets.operations.json"\n    }')
        .replace(
          "} // the first",
          `}, // the first\n    "pets": {\n      "baseUrl": ${entry},\n      "protocol": "json",\n      "private": true,\n` +
            '      "credential": {\n        "env": "UPSTREAM_PETS"\n      }\n    }'
        )
    )
    expect(inFolder()).toEqual(["pets.operations.json"])

    const answer = await listPets()
    expect([answer.status, answer.json(), answer.headers.get("x-tollgate-cost-micros-usd")]).toEqual([
      200,
      { pets: ["Ada"] },
      "2000"
    ])
    expect(upstream.heard.at(-1)).toMatchObject({ url: "/pets", headers: { authorization: `Bearer ${secret}` } })
    expect(await post("/config/check")).toMatchObject({ valid: true, in_force: true })
  })

  it("the report is that of the command line", async () => {
    const document = petsDocument(
      {
        "/pets": { ...get({ operationId: "list" }), trace: {}, post: { requestBody: { $ref: "other.json" } } },
        "/a b": get(),
        "/cats": get({ operationId: "cats", parameters: [{ in: "cookie", name: "c", required: true }] }),
        "/dogs": get({ operationId: "dogs", summary: "\u202esgod" })
      },
      {
        info: { title: "Pets\u202e" },
        servers: [{ url: "https://pets.example.com/v1" }],
        components: { securitySchemes: { key: {} } }
      }
    )
    const root = folder()
    const config = join(root, "tollgate.jsonc")
    const source = join(root, "source.json")
    writeFileSync(config, '{ "upstreams": { "pets": { "baseUrl": "https://pets.example.com/v1" } } }')
    writeFileSync(source, document)
    const only = ["GET *", "/pets"]
    const printed = await tollgate(
      { TOLLGATE_CONFIG: config },
      "operations",
      "import",
      source,
      "--upstream",
      "pets",
      "--prefix",
      "zoo",
      ...only.flatMap((pattern) => ["--only", pattern])
    )
    const shown = await preview({ document, prefix: "zoo", only })
    const report = shown.report.join("\n")
    expect(report).toContain("Not imported:")
    expect(report).toContain("They have no price yet.")
    expect(report).toContain("\\u202e")
    expect(printed.stdout.startsWith(`${report}\n\nWrote `)).toBe(true)
    expect(shown.file_text).toBe(readFileSync(join(root, "pets.operations.json"), "utf8"))
  })

  it("a second import changes the file, and keeps what was changed by hand", async () => {
    const asked = await pets()
    await apply(asked, (await preview(asked)).fingerprint)
    const same = await preview(asked)
    expect(same).toMatchObject({ change: "same", config: {} })
    expect((await apply(asked, same.fingerprint)).status).toBe(200)

    const priced = readFileSync(file, "utf8").replace('"0.002"', '"0.005"')
    writeFileSync(file, priced)
    await post("/config/reload")
    const document = petsDocument({ "/pets": get({ operationId: "list" }), "/cats": get({ operationId: "cats" }) })
    const shown = await preview({ ...asked, document })
    expect(shown).toMatchObject({ change: "changed", count: 2, config: {}, problems: [] })
    expect(shown.report.join("\n")).toContain("added     pets.cats")
    const before = readFileSync(path, "utf8")
    expect((await apply({ ...asked, document }, shown.fingerprint)).status).toBe(200)
    expect(readFileSync(path, "utf8")).toBe(before)
    expect((await listPets()).headers.get("x-tollgate-cost-micros-usd")).toBe("5000")
    expect((await caller().send({ path: "/apis/v1/pets/cats" })).status).toBe(200)
  })

  it("without a price the operations are there, and calls are refused", async () => {
    const { price: _, ...asked } = await pets()
    const shown = await preview(asked)
    expect(shown.operations).toMatchObject([{ price: "pending" }])
    await apply(asked, shown.fingerprint)
    const answer = await listPets()
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("billing_misconfigured")])
  })

  it("of operators who add at the same time, one does, and the others are told", async () => {
    const asked = await pets()
    const { fingerprint } = await preview(asked)
    const answers = await Promise.all(
      ["0.001", "0.002", "0.003", "0.004"].map((price) => apply({ ...asked, price }, fingerprint))
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    for (const answer of answers) {
      if (answer.status === 409) expect(messageOf(answer)).toContain("changed in the meantime")
    }
    const done = answers.findIndex(({ status }) => status === 200)
    expect((await listPets()).headers.get("x-tollgate-cost-micros-usd")).toBe(`${done + 1}000`)
  })

  it("a file that was changed by hand is not overwritten, and nothing is left beside it", async () => {
    const asked = await pets()
    const { fingerprint } = await preview(asked)
    const byHand = text.replace("since May", "since June")
    write(byHand)
    const refused = await apply(asked, fingerprint)
    expect([refused.status, messageOf(refused)]).toEqual([409, expect.stringContaining("changed in the meantime")])
    expect([readFileSync(path, "utf8"), inFolder()]).toEqual([byHand, []])

    const next = await preview(asked)
    writeFileSync(file, '{ "operations": [] }')
    expect((await apply(asked, next.fingerprint)).status).toBe(409)
    expect(readFileSync(file, "utf8")).toBe('{ "operations": [] }')
    expect(readFileSync(path, "utf8")).toBe(byHand)
  })

  it("a file of operations that is not in force stops every change until a reload", async () => {
    const asked = await pets()
    await apply(asked, (await preview(asked)).fingerprint)
    const refusal = async () => (await read<PriceFile>("/prices/file")).refusal
    expect(await refusal()).toBeNull()
    const written = readFileSync(file, "utf8")
    for (const change of [
      () => writeFileSync(file, written.replace('"0.002"', '"0.005"')),
      () => writeFileSync(file, "{"),
      () => rmSync(file)
    ]) {
      change()
      expect(await refusal()).toContain("changed and not reloaded")
    }
    writeFileSync(file, written)
    expect(await refusal()).toBeNull()
    writeFileSync(file, `${written}\n`)
    const shown = await preview(asked)
    expect(shown.refusal).toContain("changed and not reloaded")
    await post("/config/reload")
    expect(await refusal()).toBeNull()
  })

  it("a write that fails leaves both files and the catalogue as they were", async () => {
    const asked = await pets()
    const { fingerprint } = await preview(asked)
    mkdirSync(join(`${path}.part`, "inside"), { recursive: true })
    const answer = await apply(asked, fingerprint)
    expect([answer.status, messageOf(answer)]).toEqual([409, expect.stringContaining("Nothing was changed.")])
    expect([readFileSync(path, "utf8"), existsSync(file)]).toEqual([text, false])
    expect((await listPets()).status).toBe(404)
  })

  it("what was added is recorded with its address and note, and so is what was refused", async () => {
    const known = (await records()).length
    const asked = await pets()
    const { fingerprint } = await preview(asked)
    const applied = await apply(asked, fingerprint, "Ann: the zoo")
    expect((await apply(asked, fingerprint)).status).toBe(409)
    expect((await apply({ ...asked, document: "no" }, fingerprint)).status).toBe(400)
    const all = await records()
    expect(all).toHaveLength(known + 4)
    expect(all[0]).toMatchObject({ action: "API added: refused", why: "" })
    expect(all[3]).toMatchObject({
      request: applied.headers.get("x-request-id"),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      address: expect.stringContaining("127.0.0.1"),
      why: "Ann: the zoo",
      action: "API added",
      after: { upstream: "pets", file: "pets.operations.json", operations: 1 }
    })
    expect(JSON.stringify(all)).not.toContain(secret)
  })

  it("needs the admin token: neither a caller's key nor a form of another site reaches it", async () => {
    const body = JSON.stringify({ ...(await pets()), upstream: "pets", fingerprint: "" })
    for (const headers of [
      { origin: "https://evil.example.com", "content-type": "text/plain" },
      { authorization: `Bearer ${caller().key}` }
    ]) {
      for (const at of ["preview", "apply"]) {
        const answer = await fetch(`${address()}/admin/v1/imports/${at}`, { method: "POST", headers, body })
        expect(answer.status).toBe(401)
      }
    }
    expect((await send("GET", "/imports/other")).status).toBe(404)
    expect(inFolder()).toEqual([])
  })

  it("no answer has a credential in it", async () => {
    const asked = await pets()
    const shown = await ask(asked)
    const applied = await apply(asked, (shown.json() as { fingerprint: string }).fingerprint)
    expect(shown.text + applied.text + readFileSync(path, "utf8") + readFileSync(file, "utf8")).not.toContain(secret)
  })
})
