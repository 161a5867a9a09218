import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { addressIn, folder, removeFolders } from "./program.ts"
import { type Gateway, startGateway } from "./tollgate.ts"

let gateway: Gateway
let address: string

beforeAll(async () => {
  const config = join(folder(), "tollgate.jsonc")
  writeFileSync(
    config,
    JSON.stringify({
      names: { reseller: "vendor", provider: "Acme" },
      prices: { operations: { rerank: { perMillion: "0.07" } } },
      sandbox: true
    })
  )
  gateway = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config })
  address = addressIn(gateway.banner)
})
afterAll(async () => {
  await gateway.stop()
  removeFolders()
})

const open = async (path: string) => (await fetch(`${address}${path}`)).text()

it("the first page leads to the reference, which has the names and prices of the configuration", async () => {
  // With a console that is built, or the page that stands in for it.
  expect(await open("/")).toMatch(/href="\/?docs"/)
  const start = await open("/docs")
  expect(start).toContain("<title>Docs · Acme</title>")
  expect(start).toContain('href="/docs/vendor.social_c.tag_detail"')
  const rerank = await open("/docs/rerank")
  expect(rerank).toContain("$0.07 / 1M tokens")
  expect(rerank).toContain(`${address}/v1/rerank`)
})

it("a browser gets a page where there is nothing, and a program is asked for its key first", async () => {
  const opened = (path: string, headers: Record<string, string>) => fetch(`${address}${path}`, { headers })
  const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
  for (const path of ["/nothing", "/v1/nothing?key=tg_secret"]) {
    const page = await opened(path, browser)
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
    const text = await page.text()
    expect(text).toContain("There is no page at this address.")
    expect(text).not.toContain("tg_secret")
    expect((await opened(path, {})).status).toBe(401)
    expect((await opened(path, { ...browser, authorization: "Bearer wrong" })).status).toBe(401)
  }
  expect((await opened("/v1/models", browser)).status).toBe(401)
})

it("an address that reads on and on is told to wait", async () => {
  const statuses: Array<number> = []
  while (statuses.length < 1_000 && !statuses.includes(429))
    statuses.push((await fetch(`${address}/docs/rules`)).status)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
})
