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
    expect(await json("adjust", id, "-7.25")).toMatchObject({ balance_micros_usd: 250_000, tier: "Free" })
    expect(await json("adjust", id, "0.1")).toMatchObject({ balance_micros_usd: 350_000 })
    expect(await command("adjust", id, "-0.350001")).toMatchObject({
      code: 1,
      stderr: `${id} has less than that available.\n`
    })
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
    await command("adjust", id, "-4.9995")
    expect((await costly(value)).status).toBe(200)
    const refused = await costly(value)
    expect([refused.status, refused.error?.code]).toEqual([402, "insufficient_balance"])
    expect(refused.error?.message).toContain("the balance is 0.0004 USD")
    expect(await json("accounts", "show", id)).toMatchObject({ balance_micros_usd: 400, reserved_micros_usd: 0 })
    await command("topup", id, "1")
    expect((await costly(value)).status).toBe(200)
  })
})
