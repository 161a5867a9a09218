import { expect } from "@effect/vitest"
import type { AllCalls } from "@tollgate/contract/admin/Call"
import type { Account, NewKey } from "@tollgate/contract/admin/Account"
import type { Grant } from "@tollgate/contract/admin/Grant"
import { axe, consoleTests, type ConsoleVisit, phone } from "@tollgate/testing/console/consolePage"
import { callsWith } from "@tollgate/testing/console/newKey"
import { admin, adminToken, asOperator, chat } from "@tollgate/testing/console/operator"
import type { Page } from "playwright-core"

const isTooWide = (tab: Page) => tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)

const heading = (tab: Page, name: string) => tab.getByRole("heading", { level: 1, name, exact: true })

const figure = (tab: Page, label: string) =>
  tab.locator("dl > div").filter({ hasText: label }).locator("strong a").first()

/** A key of a new account. */
const newKey = async (visit: ConsoleVisit) => {
  const { id } = await admin<Account>(visit, "/accounts", { label: "visitor" })
  return admin<NewKey>(visit, `/accounts/${id}/keys`, { label: "laptop" })
}

consoleTests({ env: { TOLLGATE_ADMIN_TOKEN: adminToken }, config: { sandbox: true } }, (inConsole) => {
  inConsole("the operator's home has today's figures, and each leads to its list", async (visit) => {
    const other = await newKey(visit)
    for (const key of [visit.key, visit.key, other.key]) expect(await chat(visit, key)).toBe(200)
    expect(await chat(visit, other.key, "no-such-model")).toBeGreaterThanOrEqual(400)
    expect((await callsWith(visit, other.key).chat("status; code=500")).status).toBe(500)
    const tab = await asOperator(visit)
    await heading(tab, "Home").waitFor()
    expect(Number(await figure(tab, "Calls").textContent())).toBeGreaterThanOrEqual(3)
    await tab.getByText("No cost is known today").first().waitFor()
    expect(await axe(tab)).toEqual([])
    const back = async (page: string) => {
      await heading(tab, page).waitFor()
      await tab.getByRole("navigation", { name: "Operator" }).getByRole("link", { name: "Home" }).click()
      await heading(tab, "Home").waitFor()
    }
    for (const [label, page] of [
      ["Revenue", "Billing"],
      ["Calls", "Calls"],
      ["Failed", "Calls"],
      ["Latency", "Calls"]
    ] as const) {
      await figure(tab, label).click()
      await back(page)
    }
    const counted = Number(await figure(tab, "Failed").textContent())
    await figure(tab, "Failed").click()
    await heading(tab, "Calls").waitFor()
    expect(await tab.getByLabel("Outcome").inputValue()).toBe("true")
    // Only those of today, in UTC, wherever the operator is.
    expect(new URL(tab.url()).searchParams.get("from")).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/)
    await tab.getByText(/^Calls since /).waitFor()
    const failed = tab.getByRole("group", { name: "Calls", exact: true }).locator("tbody tr")
    await expect.poll(() => failed.count()).toBe(counted)
    await back("Calls")
    const operations = tab.getByRole("region", { name: "Slowest operations" })
    await operations.getByRole("link", { name: "chat.completions" }).click()
    await heading(tab, "Calls").waitFor()
    expect(await tab.getByLabel("Operation").inputValue()).toBe("chat.completions")
  })

  inConsole("the log of all accounts is live, can be filtered, and leads to each call", async (visit) => {
    const other = await newKey(visit)
    await chat(visit, visit.key)
    const tab = await asOperator(visit, "/operator/calls")
    const rows = tab.getByRole("group", { name: "Calls", exact: true }).locator("tbody tr")
    await rows.first().waitFor()
    const before = await rows.count()
    await chat(visit, other.key)
    await expect.poll(() => rows.count()).toBe(before + 1)
    expect(await axe(tab)).toEqual([])
    await tab.getByLabel("Account").selectOption(other.account)
    await expect.poll(() => rows.count()).toBe(1)
    await rows.first().getByRole("rowheader").getByRole("link").click()
    await heading(tab, "chat.completions").waitFor()
    await tab.getByText("Received").waitFor()
    await tab.getByRole("link", { name: other.account, exact: true }).waitFor()
    expect(await axe(tab)).toEqual([])
  })

  inConsole("one search finds a call, an account, a key, an app, a model and an address", async (visit) => {
    const { account, key, id } = await newKey(visit)
    await chat(visit, key)
    const { calls } = await admin<AllCalls>(visit, `/calls?account=${account}`)
    const call = calls[0]?.id ?? ""
    const app = await admin<Grant>(visit, `/accounts/${account}/clients`, { name: "Nightly report" })
    const tab = await asOperator(visit)
    const find = async (text: string) => {
      await tab.getByLabel("Search this gateway").fill(text)
      await tab.getByLabel("Search this gateway").press("Enter")
      return tab.getByRole("group", { name: "Found" })
    }
    for (const [text, kind] of [
      [call, "Call"],
      [account, "Account"],
      [id, "Key"],
      [app.id, "App"],
      ["nightly rep", "App"],
      ["sandbox", "Model"],
      ["/v1/chat/completions", "Operation"]
    ] as const) {
      await (await find(text)).getByText(kind, { exact: true }).first().waitFor()
    }
    expect(await axe(tab)).toEqual([])
    await (await find(call)).getByRole("link", { name: call }).click()
    await heading(tab, "chat.completions").waitFor()
    await find("nothing at all")
    await tab.getByText("Nothing was found").waitFor()
  })

  inConsole("home, calls and search fit a phone, a tablet and a desktop in both themes", async (visit) => {
    await chat(visit, visit.key)
    for (const colorScheme of ["light", "dark"] as const) {
      const tab = await asOperator(visit, "/operator", { viewport: phone, colorScheme })
      for (const width of [390, 1024, 1440]) {
        await tab.setViewportSize({ width, height: 900 })
        for (const [path, text] of [
          ["/operator", "Slowest operations"],
          ["/operator/calls", "chat.completions"],
          ["/operator/search?q=chat", "/v1/chat/completions"]
        ] as const) {
          await tab.goto(`${visit.address}${path}`)
          await tab.locator("main").getByText(text).filter({ visible: true }).first().waitFor({ timeout: 10_000 })
          expect([path, width, await isTooWide(tab)]).toEqual([path, width, false])
        }
        expect(await axe(tab)).toEqual([])
      }
    }
  })
})
