import { expect } from "@effect/vitest"
import type { Profile } from "@tollgate/contract/account/Profile"
import { axe, consoleTests, phone } from "@tollgate/testing/console/consolePage"
import { adminToken, callsWith, newKey, withAdmin } from "@tollgate/testing/console/newKey"
import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"

const isTooWide = (tab: Page) => tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)

const admin = async (address: string, path: string, body: object): Promise<void> => {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
  const answer = await fetch(`${address}/admin/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(200)
}

consoleTests(withAdmin, (inConsole) => {
  inConsole("Billing shows the balance, the transactions and a statement to print and to save", async (visit) => {
    const { key } = await newKey(visit)
    const { chat, read } = callsWith(visit, key)
    const answer = await chat()
    await answer.text()
    const { account } = await read<Profile>("/account/v1")
    const path = `/accounts/${account.id}`
    await admin(visit.address, `${path}/topups`, { amount_micros_usd: 25_000_000, note: "invoice 7" })
    const call = answer.headers.get("x-request-id") ?? ""
    await admin(visit.address, `${path}/refunds`, { call, note: "the answer was cut" })

    const tab = await visit.signedIn("/billing", { key })
    await tab
      .getByRole("row", { name: /Refund the answer was cut/ })
      .getByRole("link", { name: call })
      .waitFor()
    await tab.getByRole("row", { name: /Top-up invoice 7 \$25/ }).waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)

    const month = new Date().toISOString().slice(0, 7)
    await tab.getByRole("group", { name: "Statements" }).getByRole("link").first().click()
    await tab.getByRole("heading", { level: 1, name: /^Statement of / }).waitFor()
    expect(new URL(tab.url()).pathname).toBe(`/billing/${month}`)
    await tab.getByRole("group", { name: "Charges by operation and model" }).getByText("chat.completions").waitFor()
    expect(await axe(tab)).toEqual([])
    expect(await isTooWide(tab)).toBe(false)
    const [download] = await Promise.all([
      tab.waitForEvent("download"),
      tab.getByRole("button", { name: "CSV" }).click()
    ])
    expect(download.suggestedFilename()).toBe(`statement-${account.id}-${month}.csv`)
    const csv = await fetch(`${visit.address}/account/v1/statements/${month}/csv`, {
      headers: { authorization: `Bearer ${key}` }
    })
    expect(await readFile(await download.path(), "utf8")).toBe(await csv.text())
  })

  inConsole("a balance that is low is said on the overview; a key with a budget sees its own", async (visit) => {
    const { key } = await newKey(visit)
    const { read } = callsWith(visit, key)
    const { account } = await read<Profile>("/account/v1")
    const taken = 250_000 - Number(account.balance_micros_usd)
    await admin(visit.address, `/accounts/${account.id}/adjustments`, { amount_micros_usd: taken, note: "taken" })
    const tab = await visit.signedIn("/", { key })
    await tab.getByText("The balance is low: $0.25 available").waitFor()
    await tab.getByRole("heading", { name: "Balance" }).waitFor()
    expect(await axe(tab)).toEqual([])
    const limited = await newKey(visit, { budget_micros_usd: 1_000_000 })
    const other = await visit.signedIn("/billing", { key: limited.key })
    await other.getByText("This credential does not see the account's balance").waitFor()
    await other.getByRole("link", { name: "Go to the overview" }).click()
    await other.getByRole("meter", { name: "Budget" }).waitFor()
    expect(await other.getByText(/balance is low/).count()).toBe(0)
  })
})
