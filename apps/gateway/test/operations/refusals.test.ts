import { families } from "@tollgate/contract/errors/Family"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { type Gateway, startGateway } from "../tollgate.ts"

const token = "an-admin-token-of-the-test"

let gateway: Gateway
let address = ""

beforeAll(async () => {
  const config = join(folder(), "tollgate.jsonc")
  const own = families.map((family) => ({
    id: `own.${family}`,
    category: "own",
    summary: `Errors of ${family}`,
    method: "POST",
    path: `/apis/v1/own/${family}`,
    family,
    price: { perItem: "0.001", items: "rows", most: 100 },
    upstream: "none"
  }))
  const upstreams = { none: { baseUrl: "http://127.0.0.1:9", protocol: "json", private: true } }
  const models = { "acme-*": { input: "1", output: "2" }, "acme-large-*": { input: "3", output: "4" } }
  writeFileSync(config, JSON.stringify({ sandbox: true, upstreams, operations: own, prices: { models } }))
  gateway = await startGateway({
    TOLLGATE_DATA: folder(),
    TOLLGATE_CONFIG: config,
    TOLLGATE_ADMIN_TOKEN: token
  })
  address = addressIn(gateway.banner)
})

afterAll(async () => {
  await gateway.stop()
  removeFolders()
})

const send = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(`${address}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${keyIn(gateway.banner)}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  return { status: answer.status, retry: answer.headers.get("x-should-retry"), body: (await answer.json()) as object }
}

/** A key that may spend a hundredth of what a call can cost. */
const poorKey = async (): Promise<string> => {
  const admin = async (path: string, body?: object) => {
    const answer = await fetch(`${address}/admin/v1${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }
    })
    return (await answer.json()) as Record<string, unknown>
  }
  const { accounts } = (await admin("/accounts")) as { accounts: ReadonlyArray<{ id: string }> }
  const made = await admin(`/accounts/${accounts[0]?.id}/keys`, { budget_micros_usd: 1_000 })
  return JSON.stringify(made).match(/tg_[0-9a-z]{39}/)?.[0] ?? JSON.stringify(made)
}

const amounts = { estimate_micros_usd: expect.any(Number) as number, max_micros_usd: 100_000 }

describe("a 402 has the estimate and the maximum as fields", () => {
  it.each(families)("in the family %s, over a cap and over a budget", async (family) => {
    const capped = await send(`/apis/v1/own/${family}`, {}, { "x-tollgate-max-price-usd": "0.000001" })
    const poor = await send(`/apis/v1/own/${family}`, {}, { authorization: `Bearer ${await poorKey()}` })
    for (const { body, retry, status } of [capped, poor]) {
      expect([status, retry]).toEqual([402, "false"])
      const error = "error" in body && typeof body.error === "object" ? body.error : body
      expect(error).toMatchObject(amounts)
    }
  })
})

describe("a model without a price, where all prices are for patterns", () => {
  it.each([
    ["/v1/chat/completions", { model: "other", messages: [{ role: "user", content: "a" }] }],
    ["/v1/messages", { model: "other", max_tokens: 9, messages: [{ role: "user", content: "a" }] }],
    ["/v1/embeddings", { model: "acme", input: "a" }],
    ["/v1beta/models/other:generateContent", { contents: [{ parts: [{ text: "a" }] }] }]
  ])("%s: 404, as for one that is not offered", async (path, body) => {
    const refused = await send(path, body, { "anthropic-version": "2023-06-01" })
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([404, expect.stringContaining("is not offered")])
  })
})
