import { describe, expect, it } from "vitest"
import { addressIn, folder, keyIn } from "../program.ts"
import { startGateway } from "../tollgate.ts"
import { type Fields, runningGateway } from "./setup.ts"

const adminToken = "an-admin-token-of-some-length"
const { address, firstKey, json, statusOf } = runningGateway({ TOLLGATE_ADMIN_TOKEN: adminToken })

const administer = (path: string, token: string, init: RequestInit = {}) =>
  fetch(`${address()}/admin/v1${path}`, { ...init, headers: { authorization: `Bearer ${token}` } })

describe("the admin API", () => {
  it("does what the commands do, with TOLLGATE_ADMIN_TOKEN only", async () => {
    expect((await administer("/accounts", firstKey())).status).toBe(401)
    const made = await administer("/accounts", adminToken, { method: "POST", body: '{"label":"by HTTP"}' })
    expect(made.status).toBe(201)
    const account = (await made.json()) as Fields
    expect(await json("accounts", "show", String(account.id))).toEqual(account)
    const key = await administer(`/accounts/${String(account.id)}/keys`, adminToken, { method: "POST" })
    expect(await statusOf(String(((await key.json()) as Fields).key))).toBe(200)
  })

  it("takes no key of an account, also when no token is set", async () => {
    const { banner, stop } = await startGateway({ TOLLGATE_DATA: folder() })
    const answer = await fetch(`${addressIn(banner)}/admin/v1/accounts`, {
      headers: { authorization: `Bearer ${keyIn(banner)}` }
    })
    await stop()
    expect(answer.status).toBe(401)
  })
})
