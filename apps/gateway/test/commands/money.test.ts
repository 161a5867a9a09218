import { describe, expect, it } from "vitest"
import { runningGateway, until } from "./setup.ts"

const adminToken = "an-admin-token-of-some-length"
const { address, command, costly, json, newAccount, newKey, rerank } = runningGateway({
  TOLLGATE_ADMIN_TOKEN: adminToken
})

describe("tollgate topup and adjust", () => {
  it("a top-up is exact, raises the tier, and is entered once for one id", async () => {
    const id = await newAccount()
    const { value } = await newKey(id)
    const limit = async () => (await rerank(value)).headers.get("x-ratelimit-limit-requests")
    expect(await limit()).toBe("60")
    const paid = await command("topup", id, "0.000001", "--note", "invoice 7", "--id", `inv-${id}`)
    expect(paid.stdout).toMatch(/^balance {6}5\.000001 USD$/m)
    expect(paid.stdout).toMatch(/^topped up {4}0\.000001 USD$/m)
    expect(paid.stdout).toMatch(/^tier {9}Starter$/m)
    await until(async () => (await limit()) === "600")
    expect(await json("topup", id, "0.000001", "--id", `inv-${id}`)).toMatchObject({ topped_up_micros_usd: 1 })
    expect(await command("topup", id, "2", "--id", `inv-${id}`)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `inv-${id} was entered before, with other terms.\n`
    })
    expect(await json("topup", id, "499.999999")).toMatchObject({ topped_up_micros_usd: 500_000_000, tier: "Growth" })
  })

  it("an adjustment adds or takes back, by its sign", async () => {
    const id = await newAccount()
    expect(await json("adjust", id, "+2.5", "--note", "sorry")).toMatchObject({ balance_micros_usd: 7_500_000 })
    expect(await json("adjust", id, "-7.25", "--note", "back")).toMatchObject({
      balance_micros_usd: 250_000,
      tier: "Free"
    })
    expect(await json("adjust", id, "0.1", "--note", "more")).toMatchObject({ balance_micros_usd: 350_000 })
    expect(await command("adjust", id, "-0.350001", "--note", "back")).toMatchObject({
      code: 1,
      stderr: `${id} has less than that available.\n`
    })
  })

  it("a payment is reversed with a reason, once, and takes the tier with it", async () => {
    const id = await newAccount()
    await json("topup", id, "500", "--id", `pay-${id}`)
    const back = ["reverse", id, "499.5", "--note", "chargeback of invoice 7", "--id", `back-${id}`]
    for (let i = 0; i < 2; i++) {
      expect(await json(...back)).toMatchObject({ topped_up_micros_usd: 500_000, tier: "Starter" })
    }
    expect(await command("reverse", id, "1", "--note", "more")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${id} has paid in 0.5 USD; more than that cannot be reversed`)
    })
    expect((await command("reverse", id, "0.1")).code).toBe(1)
    expect((await command("audit")).code).toBe(0)
  })

  it("a call is refunded with a reason, once, and never beyond its charge; usage stays", async () => {
    const id = await newAccount()
    const { value } = await newKey(id)
    await costly(value)
    await costly(value)
    const [first = "", second = ""] = (await command("export", "--account", id, "--format", "ndjson")).stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id)
    for (let i = 0; i < 2; i++) {
      expect(await json("refund", first, "--note", "empty answer")).toMatchObject({ balance_micros_usd: 4_999_900 })
    }
    expect(await command("refund", second, "--usd", "0.0002", "--note", "too much")).toMatchObject({
      code: 1,
      stderr: `${second} was charged 0.0001 USD; a refund cannot be more.\n`
    })
    expect(await json("refund", second, "--usd", "0.00004", "--note", "half")).toMatchObject({
      balance_micros_usd: 4_999_940
    })
    expect(await command("refund", second, "--note", "again", "--id", "another")).toMatchObject({
      code: 1,
      stderr: `${second} was refunded before, by the entry refund_${second}.\n`
    })
    expect(await command("refund", "req_unknown", "--note", "why")).toMatchObject({
      code: 1,
      stderr: "There is no call req_unknown.\n"
    })
    expect((await command("export", "--entries", "--account", id)).stdout).toContain(
      `refund_${first},${id},refund,100,${first},empty answer,`
    )
    expect(await json("usage", id)).toMatchObject({ totals: { requests: 2, charged_micros_usd: 200 } })
    expect((await command("audit")).code).toBe(0)
  })

  it("an amount that a JavaScript number cannot hold is printed exactly", async () => {
    const id = await newAccount()
    for (let i = 0; i < 10; i++) {
      await fetch(`${address()}/admin/v1/accounts/${id}/topups`, {
        method: "POST",
        headers: { authorization: `Bearer ${adminToken}` },
        body: '{"amount_micros_usd":1000000000000000}'
      })
    }
    expect(await json("accounts", "show", id)).toMatchObject({ balance_micros_usd: "10000000005000000" })
    expect((await command("accounts", "show", id)).stdout).toMatch(/^balance {6}10000000005 USD$/m)
  })

  it("a balance that is used up refuses calls with 402 until it is topped up", async () => {
    const id = await newAccount()
    const { value } = await newKey(id)
    await command("adjust", id, "-4.9995", "--note", "spent")
    expect((await costly(value)).status).toBe(200)
    const refused = await costly(value)
    expect([refused.status, refused.error?.code]).toEqual([402, "insufficient_balance"])
    expect(refused.error?.message).toContain("the balance is 0.0004 USD")
    expect(await json("accounts", "show", id)).toMatchObject({ balance_micros_usd: 400, reserved_micros_usd: 0 })
    await command("topup", id, "1")
    expect((await costly(value)).status).toBe(200)
  })
})
