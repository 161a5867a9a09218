import { afterAll, describe, expect, it } from "vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { addressIn, folder, keyIn, removeFolders } from "./program.ts"
import { startGateway, tollgate } from "./tollgate.ts"

type Fields = Readonly<Record<string, unknown>>

const adminToken = "an-admin-token-of-some-length"

const started = async (payments?: object) => {
  const data = folder()
  const file = join(mkdtempSync(join(data, "..", "payments-")), "tollgate.jsonc")
  writeFileSync(file, JSON.stringify({ sandbox: true, ...(payments === undefined ? {} : { payments }) }))
  const env =
    payments === undefined
      ? { TOLLGATE_DATA: data }
      : { TOLLGATE_DATA: data, TOLLGATE_CONFIG: file, TOLLGATE_ADMIN_TOKEN: adminToken }
  const gateway = await startGateway(env)
  const address = addressIn(gateway.banner)
  const send = async (credential: string, method: string, path: string, body?: object) => {
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: answer.status, body: (await answer.json()) as Fields }
  }
  const key = keyIn(gateway.banner)
  const account = (method: string, path: string, body?: object) => send(key, method, `/account/v1${path}`, body)
  const admin = (method: string, path: string, body?: object) => send(adminToken, method, `/admin/v1${path}`, body)
  const press = async (url: unknown, pressed: string) => {
    const answer = await fetch(String(url), { method: "POST", body: `press=${pressed}`, redirect: "manual" })
    return [answer.status, answer.headers.get("location")]
  }
  const balance = async () => (await account("GET", "/balance")).body.balance_micros_usd
  return { ...gateway, env, address, key, send, account, admin, press, balance }
}

afterAll(removeFolders)

describe("payments of a gateway", () => {
  it("on its own machine, a pretend card pays once, however often its page is used", async () => {
    const { account, address, balance, press, stop } = await started()
    expect((await account("GET", "/payments")).body).toMatchObject({ ways: ["card"], pretend: true, payments: [] })
    const body = { amount_micros_usd: 25_000_000, by: "card", save_card: true }
    const made = await account("POST", "/payments", body)
    expect([made.status, made.body.state]).toEqual([201, "open"])
    const page = await fetch(String(made.body.url))
    expect([page.status, (await page.text()).includes("25 USD")]).toEqual([200, true])
    const back = `${address}/billing?payment=${String(made.body.id)}`
    expect(await press(made.body.url, "nothing")).toEqual([200, null])
    expect(await Promise.all(["pay", "pay", "decline"].map((one) => press(made.body.url, one)))).toEqual([
      [303, back],
      [303, back],
      [303, back]
    ])
    expect(await balance()).toBe(30_000_000)
    expect((await account("GET", "/payments")).body).toMatchObject({
      card: "pretend 4242",
      payments: [{ state: "paid" }]
    })
    const [{ receipt_url }] = (await account("GET", "/payments")).body.payments as [Fields]
    expect(await (await fetch(String(receipt_url))).text()).toContain(`as ${String(made.body.id)} of acct_`)
    expect((await account("GET", "")).body).toMatchObject({ account: { tier: "Starter" } })
    const declined = await account("POST", "/payments", body)
    await press(declined.body.url, "decline")
    expect((await account("GET", "/payments")).body.payments).toMatchObject([
      { state: "failed", problem: "The card was declined." },
      { state: "paid" }
    ])
    expect((await fetch(`${address}/payments/pretend/pay_unknown`)).status).toBe(404)
    expect((await fetch(`${address}/payments/events`, { method: "POST" })).status).toBe(401)
    await stop()
  })

  it("are of who speaks for the account, and are given back by who may", async () => {
    const { account, admin, balance, key, press, send, stop } = await started({ sandbox: true, transfer: "IBAN XX00" })
    const limited = (await account("POST", "/keys", { label: "limited", budget_micros_usd: 1 })).body.key as string
    const body = { amount_micros_usd: 25_000_000, by: "card" }
    for (const [method, path, fields] of [
      ["GET", "/payments", undefined],
      ["POST", "/payments", body],
      ["PATCH", "/payments/recharge", { recharge: null }],
      ["POST", "/payments/card/forget", {}],
      ["POST", "/payments/pay_1/void", {}]
    ] as const) {
      expect((await send(limited, method, `/account/v1${path}`, fields)).status).toBe(403)
      expect((await send(adminToken, method, `/account/v1${path}`, fields)).status).toBe(401)
    }
    for (const wrong of [
      { ...body, amount_micros_usd: -5_000_000 },
      { ...body, amount_micros_usd: 25.5 },
      { ...body, amount_micros_usd: "25000000" },
      { ...body, by: "cash" },
      { ...body, account: "acct_other" },
      { by: "card" }
    ]) {
      expect((await account("POST", "/payments", wrong)).status).toBe(400)
    }
    expect((await account("POST", "/payments", { ...body, amount_micros_usd: 1 })).status).toBe(409)
    const { id, url } = (await account("POST", "/payments", body)).body
    expect((await admin("POST", `/payments/${String(id)}/refunds`, { note: "early" })).status).toBe(409)
    await press(url, "pay")
    const refund = { amount_micros_usd: 5_000_000, note: "too much", id: "r1" }
    const given = await Promise.all([1, 2].map(() => admin("POST", `/payments/${String(id)}/refunds`, refund)))
    expect(given.map(({ body }) => body.returned_micros_usd)).toContain(5_000_000)
    expect((await admin("POST", `/payments/${String(id)}/refunds`, { note: "" })).status).toBe(400)
    expect((await send(key, "POST", `/admin/v1/payments/${String(id)}/refunds`, refund)).status).toBe(401)
    const invoice = (await account("POST", "/payments", { ...body, by: "invoice" })).body
    expect(await admin("GET", "/payments?state=open")).toMatchObject({
      body: { payments: [{ id: invoice.id, kind: "invoice", provider: "transfer" }] }
    })
    const paid = { note: "transfer 7" }
    expect((await admin("POST", `/payments/${String(invoice.id)}/paid`, paid)).body).toMatchObject({ state: "paid" })
    expect((await admin("POST", `/payments/${String(invoice.id)}/paid`, paid)).status).toBe(409)
    expect((await admin("POST", "/payments/pay_none/paid", paid)).status).toBe(404)
    expect((await account("POST", `/payments/${String(invoice.id)}/void`)).status).toBe(409)
    const { id: unpaid } = (await account("POST", "/payments", { ...body, by: "invoice" })).body
    expect((await account("POST", `/payments/${String(unpaid)}/void`)).body).toMatchObject({
      state: "failed",
      problem: "The customer has ended it."
    })
    expect((await account("POST", "/payments/pay_none/void")).status).toBe(404)
    expect((await admin("POST", `/payments/${String(unpaid)}/paid`, paid)).status).toBe(409)
    expect((await admin("GET", `/trail?of=${String(unpaid)}`)).body).toMatchObject({
      trail: [{ action: "payment ended", who: expect.stringContaining("key_") }]
    })
    expect(await balance()).toBe(50_000_000)
    expect((await admin("POST", "/audit")).body).toMatchObject({ correct: true, differences: [] })
    const trail = (await admin("GET", `/trail?of=${String(invoice.id)}`)).body
    expect(trail).toMatchObject({ trail: [{ action: "invoice paid" }, { action: "money booked", why: "transfer 7" }] })
    await stop()
  })

  it("a command books the money of an invoice beside the running gateway", async () => {
    const { account, balance, env, stop } = await started({ transfer: "IBAN XX00", least: "1", most: "2" })
    expect((await account("GET", "/payments")).body).toMatchObject({ ways: ["invoice"], transfer: "IBAN XX00" })
    expect((await account("POST", "/payments", { amount_micros_usd: 2_000_000, by: "card" })).status).toBe(409)
    const { id } = (await account("POST", "/payments", { amount_micros_usd: 2_000_000, by: "invoice" })).body
    expect((await tollgate(env, "payments", "list")).stdout).toContain(String(id))
    expect((await tollgate(env, "payments", "paid", String(id), "--note", "transfer 9")).code).toBe(0)
    expect(await balance()).toBe(7_000_000)
    expect((await tollgate(env, "payments", "void", String(id), "--note", "x")).stderr).toContain(
      `${String(id)} is paid.`
    )
    await stop()
  })
})

describe("the section payments", () => {
  const stripe = { secretKey: { env: "STRIPE_KEY" }, events: { env: "STRIPE_EVENTS" } }
  it.each([
    [{ stripe, sandbox: true }, "cards are either real or not"],
    [{ stripe: { ...stripe, secretKey: "sk_live_x" } }, "a secret is read from the environment only"],
    [{ stripe }, "STRIPE_KEY is not set"],
    [{ stripe: { ...stripe, url: "http://127.0.0.1:1" } }, "this address is private"],
    [{ least: "10", most: "5" }, "not more than most"],
    [{ least: "0" }, "more than zero"],
    [{ transfer: "" }, "transfer"],
    [{ cards: "stripe" }, "cards"]
  ])("%j is refused", async (payments, message) => {
    const data = folder()
    const file = join(mkdtempSync(join(data, "..", "payments-")), "tollgate.jsonc")
    writeFileSync(file, JSON.stringify({ payments }))
    const { code, stderr, stdout } = await tollgate({ TOLLGATE_DATA: data }, "config", "check", file)
    expect([code !== 0, stderr + stdout]).toEqual([true, expect.stringContaining(message)])
    expect(stderr + stdout).not.toContain("sk_live_x")
  })
})
