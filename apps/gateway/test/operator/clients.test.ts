import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Fields, operatedGateway } from "./setup.ts"

const most = { total: "10", perDay: "4", days: 60 }
const { account, address, data, post, read, send } = operatedGateway(JSON.stringify({ oauth: { grants: { most } } }))

const path = () => `/accounts/${account()}/clients`

const token = async ({ client_id, client_secret }: Fields) => {
  const answer = await fetch(`${address()}/oauth/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${String(client_id)}:${String(client_secret)}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" })
  })
  return { status: answer.status, body: (await answer.json()) as Fields }
}

const models = async ({ access_token }: Fields) =>
  (await fetch(`${address()}/v1/models`, { headers: { authorization: `Bearer ${String(access_token)}` } })).status

describe("service accounts", () => {
  it("are made with a secret that is shown once, get tokens, and end at once", async () => {
    expect(await read("/clients")).toEqual({ clients: [] })
    const made = await send("POST", path(), { name: "Nightly report" })
    expect(made.status).toBe(201)
    const client = made.json() as Fields
    expect(client).toMatchObject({
      account: account(),
      client_name: "Nightly report",
      client_id: expect.stringMatching(/^machine_/),
      client_secret: expect.stringMatching(/^tgs_[0-9a-f]{64}$/),
      machine: true,
      scopes: ["use"],
      limit_micros_usd: 5_000_000,
      day_limit_micros_usd: 1_000_000,
      ask_above_micros_usd: null,
      allowed: null
    })
    const { client_secret: secret, ...listed } = client
    expect(await read("/clients")).toEqual({ clients: [listed] })
    expect(await read("/grants")).toEqual({ grants: [listed] })
    for (const file of readdirSync(data)) {
      expect(readFileSync(join(data, file)).includes(String(secret)), file).toBe(false)
    }

    const { body, status } = await token(client)
    expect([status, body["scope"], await models(body)]).toEqual([200, "use", 200])
    expect(await post(`/grants/${String(client["id"])}/revoke`)).toMatchObject({ ended: true })
    expect([(await token(client)).status, await models(body)]).toEqual([401, 401])
    expect(await read("/clients")).toMatchObject({ clients: [{ id: client["id"], ended: true }] })
  })

  it("keep to what the configuration allows, and to what there is", async () => {
    const day = 86_400_000
    const before = (await read<{ clients: ReadonlyArray<Fields> }>("/clients")).clients.length
    for (const [terms, param] of [
      [{ limit_micros_usd: 10_000_001 }, "limit_micros_usd"],
      [{ limit_micros_usd: null }, "limit_micros_usd"],
      [{ day_limit_micros_usd: null }, "day_limit_micros_usd"],
      [{ day_limit_micros_usd: 4_000_001 }, "day_limit_micros_usd"],
      [{ ends_at: new Date(Date.now() + 61 * day).toISOString() }, "ends_at"],
      [{ ends_at: new Date(Date.now() - day).toISOString() }, "ends_at"],
      [{ allowed: { categories: ["nothing"], operations: [] } }, "allowed.categories"],
      [{ allowed: { categories: [], operations: ["nothing"] } }, "allowed.operations"],
      [{ ask_above_micros_usd: 1 }, "ask_above_micros_usd"],
      [{ scopes: ["grants"] }, "scopes"],
      [{ name: "two\nlines" }, "name"],
      [{ name: "" }, "name"],
      [{ name: 5 }, "name"]
    ] as const) {
      const refused = await send("POST", path(), { name: "More", ...terms })
      expect([refused.status, refused.json()], JSON.stringify(terms)).toMatchObject([
        400,
        { error: { message: expect.stringContaining(param) } }
      ])
    }
    expect((await send("POST", "/accounts/acct_none/clients", { name: "Nobody" })).status).toBe(404)
    expect((await read<{ clients: ReadonlyArray<Fields> }>("/clients")).clients).toHaveLength(before)
    const bound = {
      name: "Bound",
      reads_usage: true,
      limit_micros_usd: 10_000_000,
      allowed: { categories: [], operations: ["rerank"] }
    }
    const client = await post(path(), bound)
    expect(client).toMatchObject({ scopes: ["use", "usage"], limit_micros_usd: 10_000_000, allowed: bound.allowed })
    const { body } = await token(client)
    expect(body["scope"]).toBe("use usage")
    expect(await models(body)).toBe(403)
  })
})
