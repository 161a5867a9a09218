import type { AppliedPrices, PriceFile } from "@tollgate/contract/admin/Prices"
import type { Trail } from "@tollgate/contract/admin/Trail"
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  renameSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { folder, rerank } from "../program.ts"
import { operatedGateway } from "./setup.ts"

const text = `{
  // What a search costs
  "prices": {
    "operations": {
      "rerank": { "contract": "per_request", "amount": "0.01" } // since May
    }
  },
  "sandbox": true, // always
}
`

const priced = (amount: string) => ({ operations: { rerank: { contract: "per_request", amount } } })

const gateway = operatedGateway(text, { TOLLGATE_CONFIG_WRITE: "on" })
const { address, caller, path, post, read, send, write } = gateway

const file = () => read<PriceFile>("/prices/file")
const apply = (prices: unknown, fingerprint: string | null) => send("POST", "/prices/apply", { prices, fingerprint })
const messageOf = (answer: { readonly json: () => unknown }) =>
  (answer.json() as { error: { message: string } }).error.message
const costOf = async () => (await rerank(address(), caller().key)).headers.get("x-tollgate-cost-micros-usd")
const inFolder = () => readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)))

afterEach(async () => {
  write(text)
  expect(await post("/config/reload")).toMatchObject({ in_force: true })
  expect(inFolder()).toEqual([basename(path)])
})

describe("prices are applied by the gateway", () => {
  it("the file gets the new price and keeps the rest, and calls cost it at once", async () => {
    chmodSync(path, 0o640)
    const before = await file()
    expect(before).toEqual({
      section: priced("0.01"),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      refusal: null
    })
    const answer = await apply(priced("0.02"), before.fingerprint)
    expect(answer.status).toBe(200)
    const shown = (amount: string) => ({ words: `$${amount} / call`, config: { contract: "per_request", amount } })
    expect(answer.json()).toEqual({
      fingerprint: (await file()).fingerprint,
      changed: 1,
      changes: [{ operation: "rerank", model: null, before: shown("0.01"), after: shown("0.02") }]
    })
    expect(readFileSync(path, "utf8")).toBe(text.replace('"0.01"', '"0.02"'))
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(await costOf()).toBe("20000")
    expect(await post("/config/check")).toMatchObject({ valid: true, in_force: true })
  })

  it("the same section again changes nothing", async () => {
    const { fingerprint } = await file()
    const answer = await apply(priced("0.01"), fingerprint)
    expect(answer.json()).toEqual({ fingerprint, changed: 0, changes: [] })
    expect(readFileSync(path, "utf8")).toBe(text)
  })

  it("of operators who apply at the same time, one does, and the others are told", async () => {
    const { fingerprint } = await file()
    const amounts = Array.from({ length: 8 }, (_, i) => `0.0${i + 2}`)
    const answers = await Promise.all(amounts.map((amount) => apply(priced(amount), fingerprint)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
    const done = answers.findIndex(({ status }) => status === 200)
    expect(readFileSync(path, "utf8")).toBe(text.replace("0.01", amounts[done] ?? ""))
    for (const answer of answers) {
      if (answer.status === 409) expect(messageOf(answer)).toContain("The file was changed in the meantime.")
    }
  })

  it("a file that was changed by hand is not overwritten", async () => {
    const { fingerprint } = await file()
    const byHand = text.replace("since May", "since June")
    write(byHand)
    const answer = await apply(priced("0.02"), fingerprint)
    expect([answer.status, messageOf(answer)]).toEqual([409, expect.stringContaining("changed in the meantime")])
    expect(readFileSync(path, "utf8")).toBe(byHand)
    // A comment changes nothing: the file is still what is in force.
    expect((await apply(priced("0.02"), (await file()).fingerprint)).status).toBe(200)
  })

  it("a file that is not in force is not applied along with the prices", async () => {
    write(text.replace('"sandbox": true', '"replayByDefault": true'))
    const shown = await file()
    expect(shown.refusal).toContain("changed and not reloaded")
    const answer = await apply(priced("0.02"), shown.fingerprint)
    expect([answer.status, messageOf(answer)]).toEqual([409, shown.refusal])
    expect(await costOf()).toBe("10000")
  })

  it("a file that is in force and lacks a credential by now is not called changed", async () => {
    const key = join(folder(), "key")
    writeFileSync(key, "a-secret")
    const shop = { baseUrl: "https://shop.example.com", protocol: "json", credential: { file: key } }
    write(text.replace('"sandbox"', `"upstreams": ${JSON.stringify({ shop })}, "sandbox"`))
    expect(await post("/config/reload")).toMatchObject({ in_force: true })
    rmSync(key)
    const shown = await file()
    expect(shown.refusal).toBeNull()
    const answer = await apply(priced("0.02"), shown.fingerprint)
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining("credential.file: ")])
    expect(await costOf()).toBe("10000")
  })

  it("a section that the reader refuses changes nothing", async () => {
    const { fingerprint } = await file()
    for (const [prices, reason] of [
      [priced("-1"), "rerank"],
      [priced("1".repeat(30)), "rerank"],
      [priced("0.0000000001"), "rerank"],
      [priced("1e3"), "rerank"],
      [{ operations: { rerank: { contract: "per_request", amount: 1 } } }, "rerank"],
      [{ operations: { other: "free" } }, "not a known key"],
      [{ upstreams: {} }, "not a known key"],
      [[], "an object"],
      [null, "an object"],
      ["free", "an object"]
    ] as const) {
      const answer = await apply(prices, fingerprint)
      expect([answer.status, messageOf(answer)], JSON.stringify(prices)).toEqual([400, expect.stringContaining(reason)])
    }
    const huge = await apply({ operations: { rerank: "x".repeat(10_000_000) } }, fingerprint)
    expect(huge.status).toBe(413)
    expect(readFileSync(path, "utf8")).toBe(text)
    expect(await costOf()).toBe("10000")
  })

  it("needs the admin token: neither a caller's key nor a form of another site applies prices", async () => {
    const { fingerprint } = await file()
    const body = JSON.stringify({ prices: priced("0.02"), fingerprint })
    for (const headers of [
      { origin: "https://evil.example.com", "content-type": "text/plain" },
      { authorization: `Bearer ${caller().key}` }
    ]) {
      const answer = await fetch(`${address()}/admin/v1/prices/apply`, { method: "POST", headers, body })
      expect(answer.status).toBe(401)
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    }
    expect(readFileSync(path, "utf8")).toBe(text)
  })

  it("a link stays a link, and its target gets the prices", async () => {
    const target = join(dirname(path), "elsewhere.jsonc")
    renameSync(path, target)
    symlinkSync(target, path)
    const { fingerprint, refusal } = await file()
    expect(refusal).toBeNull()
    expect((await apply(priced("0.02"), fingerprint)).status).toBe(200)
    expect(readFileSync(target, "utf8")).toBe(text.replace('"0.01"', '"0.02"'))
    rmSync(path)
    renameSync(target, path)
  })

  it("a file that is read-only, gone or a folder is named as the reason", async () => {
    const refusedWith = async (words: string) => {
      const { fingerprint, refusal } = await file()
      expect(refusal).toContain(words)
      const answer = await apply(priced("0.02"), fingerprint ?? "")
      expect([answer.status, messageOf(answer)]).toEqual([409, refusal])
    }
    chmodSync(path, 0o444)
    await refusedWith("it is read-only")
    chmodSync(path, 0o644)
    rmSync(path)
    await refusedWith("ENOENT")
    mkdirSync(path)
    await refusedWith("it is not an ordinary file")
    rmSync(path, { recursive: true })
  })

  it("a write that fails leaves the file and the prices as they were", async () => {
    const { fingerprint } = await file()
    mkdirSync(join(`${path}.part`, "inside"), { recursive: true })
    const answer = await apply(priced("0.02"), fingerprint)
    expect([answer.status, messageOf(answer)]).toEqual([409, expect.stringContaining("Nothing was changed.")])
    expect(readFileSync(path, "utf8")).toBe(text)
    expect(await costOf()).toBe("10000")
    rmSync(`${path}.part`, { recursive: true })
  })

  it("what an earlier crash has left does not stand in the way", async () => {
    gateway.writeBeside(".part", "half a fi")
    const applied = await post<AppliedPrices>("/prices/apply", {
      prices: priced("0.02"),
      fingerprint: (await file()).fingerprint
    })
    expect(applied.changed).toBe(1)
  })

  it("what was applied is in the trail with its address and note, and so is what was refused", async () => {
    const { fingerprint } = await file()
    const entries = async () => (await read<Trail>("/trail?of=configuration&limit=1000")).trail
    const known = (await entries()).length
    const note = "Ann: new contract"
    const applied = await send("POST", "/prices/apply", { prices: priced("0.05"), fingerprint, note })
    const { changes } = applied.json() as AppliedPrices
    expect((await apply(priced("0.06"), fingerprint)).status).toBe(409)
    expect((await apply(priced("-1"), fingerprint)).status).toBe(400)
    const found = await entries()
    expect(found).toHaveLength(known + 4)
    const [refused, second, loaded, first] = found
    expect(loaded).toMatchObject({ action: "configuration loaded", request: first?.request, who: first?.who })
    expect(first).toMatchObject({
      request: applied.headers.get("x-request-id"),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      address: expect.stringContaining("127.0.0.1"),
      action: "prices applied",
      why: note,
      after: { changed: 1, changes }
    })
    expect([second, refused]).toMatchObject([
      { action: "prices applied", why: "", after: { changed: 1 } },
      { action: "prices applied: refused", why: "", after: { changed: 1 } }
    ])
    for (const bad of ["two\nlines", "x".repeat(501), 7]) {
      const answer = await send("POST", "/prices/apply", { prices: {}, fingerprint, note: bad })
      expect(answer.status).toBe(400)
    }
  })
})
