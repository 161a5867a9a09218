import { afterAll, beforeAll, expect, it } from "vitest"
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

it("a load balancer learns that it serves, without a credential and as often as it asks", async () => {
  for (let i = 0; i < 100; i++) {
    const answer = await fetch(`${address}/healthz`)
    expect([answer.status, await answer.text()]).toEqual([200, "ok"])
  }
  expect((await fetch(`${address}/healthz`, { method: "POST" })).status).toBe(401)
})

it("an address that opens the page again and again is told to wait", async () => {
  const statuses: Array<number> = []
  while (statuses.length < 1_000 && !statuses.includes(429)) statuses.push((await fetch(`${address}/docs`)).status)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
})

it("the admin API says that it is off, and how to turn it on", async () => {
  // Reached from this machine alone, it is on, for who signs in by a link.
  const open = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_BASE_URL: "https://gateway.example.com" })
  const address = addressIn(open.banner)
  const answer = await fetch(`${address}/admin/v1/accounts`, { headers: { authorization: "Bearer something" } })
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: expect.objectContaining({ message: expect.stringContaining("The admin API is off") }) }
  ])
  expect(answer.headers.get("x-request-id")).not.toBeNull()
  await open.stop()
})
