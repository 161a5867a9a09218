import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openPages } from "../src/pages/openPages.ts"
import { addressIn, folder, removeFolders } from "./program.ts"
import { type Gateway, startGateway } from "./tollgate.ts"

let gateway: Gateway
let address: string

beforeAll(async () => {
  gateway = await startGateway({ TOLLGATE_DATA: folder() })
  address = addressIn(gateway.banner)
})
afterAll(async () => {
  await gateway.stop()
  removeFolders()
})

it("a gateway without its console says so, and where to go", async () => {
  const endpoints = openPages("acme")
  expect(endpoints.paths).toEqual(["/"])
  const page = endpoints.answer(HttpServerRequest.fromWeb(new Request(`${address}/`)), "/")
  if (page === undefined) throw new Error("there is no page")
  const answer = HttpServerResponse.toWeb(await Effect.runPromise(page))
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(answer.headers.get("cache-control")).toBe("no-cache")
  const text = await answer.text()
  for (const [, path] of text.matchAll(/href="([^"]+)"/g)) expect((await fetch(`${address}/${path}`)).status).toBe(200)
  expect(text).toContain("<code>mcp</code>")
  expect(text).toContain("The console is not built")
})

it("a load balancer learns that it serves, without a credential and as often as it asks", async () => {
  for (let i = 0; i < 100; i++) {
    const answer = await fetch(`${address}/healthz`)
    expect([answer.status, await answer.text()]).toEqual([200, "ok"])
  }
  expect((await fetch(`${address}/healthz`, { method: "POST" })).status).toBe(401)
})

it("a browser at an unknown address gets a page with links, and everybody else JSON", async () => {
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8"
  const page = await fetch(`${address}/nope/nope`, { headers: { accept } })
  expect([page.status, page.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"])
  expect(page.headers.get("x-request-id")).not.toBeNull()
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; style-src 'sha256-")
  const text = await page.text()
  expect(text).toContain("Page not found")
  expect(text).not.toContain("nope")
  expect([...text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)).toEqual(["/", "/docs"])
  const others: ReadonlyArray<readonly [string, RequestInit, number]> = [
    ["/nope/nope", {}, 401],
    ["/nope/nope", { headers: { accept }, method: "POST" }, 401],
    ["/nope/nope", { headers: { accept, authorization: "Bearer wrong" } }, 401],
    ["/nope/nope?key=wrong", { headers: { accept } }, 401],
    ["/v1/models", { headers: { accept } }, 401]
  ]
  for (const [path, init, status] of others) {
    const answer = await fetch(`${address}${path}`, init)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "application/json"])
  }
})

it("an address that opens the page again and again is told to wait", async () => {
  const statuses: Array<number> = []
  while (statuses.length < 1_000 && !statuses.includes(429)) statuses.push((await fetch(address)).status)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
})

it("the admin API says that it is off, and how to turn it on", async () => {
  const answer = await fetch(`${address}/admin/v1/accounts`, { headers: { authorization: "Bearer something" } })
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: expect.objectContaining({ message: "The admin API is off; set TOLLGATE_ADMIN_TOKEN." }) }
  ])
  expect(answer.headers.get("x-request-id")).not.toBeNull()
})
