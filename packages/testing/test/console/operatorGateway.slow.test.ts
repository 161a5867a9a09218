import { expect } from "@effect/vitest"
import type { Account } from "@tollgate/contract/admin/Account"
import { axe, consoleTests, type ConsoleVisit, phone } from "@tollgate/testing/console/consolePage"
import { gatewayProgram } from "@tollgate/testing/console/gatewayProgram"
import { admin, adminToken, asOperator, chat } from "@tollgate/testing/console/operator"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Page } from "playwright-core"

/** Port 1 refuses connections. */
const config = {
  upstreams: { down: { baseUrl: "http://127.0.0.1:1", protocol: "openai", private: true, rpm: 600 } },
  routes: [{ operation: "chat.completions", model: "down", to: [{ upstream: "down" }] }],
  prices: { models: { down: { input: "1", output: "1" } } },
  sandbox: true
}

const writeConfig = ({ data }: ConsoleVisit, text: string) => writeFileSync(join(data, "../tollgate.jsonc"), text)

const figure = (tab: Page, label: string) =>
  tab.locator("dl > div").filter({ hasText: label }).locator("strong").first().textContent()

const isTooWide = (tab: Page) => tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)

const spentBy = async (visit: ConsoleVisit): Promise<bigint> => {
  const { accounts } = await admin<{ accounts: ReadonlyArray<Account> }>(visit, "/accounts")
  return accounts.reduce((sum, account) => sum + 5_000_000n - BigInt(account.balance_micros_usd), 0n)
}

const usd = (micros: bigint) =>
  `$0.${String(micros)
    .padStart(6, "0")
    .replace(/0{1,4}$/, "")}`

consoleTests({ env: { TOLLGATE_ADMIN_TOKEN: adminToken }, config }, (inConsole) => {
  inConsole("other prices are tried on past calls, and the file is what puts them in force", async (visit) => {
    for (let i = 0; i < 3; i++) expect(await chat(visit, visit.key)).toBe(200)
    const charged = await spentBy(visit)
    const tab = await asOperator(visit, "/operator/prices")
    await tab.getByLabel("Filter prices").fill("chat.completions")
    await tab.getByLabel("Multiply all prices by").fill("twice")
    await tab.getByRole("button", { name: "Multiply" }).click()
    await tab.getByText("A decimal with up to nine places").waitFor()
    await tab.getByLabel("Multiply all prices by").fill("2")
    await tab.getByRole("button", { name: "Multiply" }).click()
    await tab.getByText(/\d+ prices are changed/).waitFor()
    await tab.getByRole("region", { name: "Preview" }).waitFor()
    expect([
      await figure(tab, "Charged before"),
      await figure(tab, "Charged after"),
      await figure(tab, "Difference"),
      await figure(tab, "Calls")
    ]).toEqual([usd(charged), usd(charged * 2n), `+${usd(charged)}`, "3"])
    expect(await axe(tab)).toEqual([])
    const section = (await tab.locator("figure pre").textContent()) ?? ""
    expect(section).toContain('"output": "8"')
    // This gateway may not write its file.
    await tab.getByText("start the gateway with TOLLGATE_CONFIG_WRITE=on").waitFor()
    expect(await tab.getByRole("button", { name: /^Change \d/ }).count()).toBe(0)

    // One price, on top of the factor.
    await tab.getByRole("button", { name: "Change the price of chat.completions sandbox" }).click()
    const price = tab.getByRole("dialog").getByLabel("USD per million output tokens")
    await price.fill("1e9")
    await price.press("Enter")
    await tab.getByRole("dialog").getByText("A decimal with up to nine places").waitFor()
    expect(await axe(tab)).toEqual([])
    await price.fill("0")
    await price.press("Enter")
    await tab.locator("figure pre").filter({ hasText: '"output": "0"' }).waitFor()

    // What the gateway finds wrong with a section is told.
    const paste = async (text: string) => {
      await tab.getByRole("button", { name: "Paste a section" }).click()
      await tab.getByLabel("The section prices").fill(text)
      await tab.getByRole("button", { name: "Preview" }).click()
    }
    await paste("{ // no")
    await tab.getByRole("dialog").getByText("This is not JSON").waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.keyboard.press("Escape")
    await paste('{ "operations": { "rerank": { "perMillion": 1 } } }')
    await tab.getByRole("alert").filter({ hasText: "rerank" }).waitFor()

    // What was copied is put into the file and reloaded.
    const file = { ...config, ...JSON.parse(`{${section}}`) }
    writeConfig(visit, JSON.stringify(file))
    await tab.getByRole("link", { name: "Health" }).click()
    await tab.getByRole("main").getByRole("link", { name: "Configuration" }).click()
    await tab.getByRole("button", { name: "Check the file" }).click()
    await tab.getByText("The file is valid. Reload to use it.").waitFor()
    await tab.getByRole("button", { name: "Reload" }).click()
    await tab.getByRole("dialog").getByRole("button", { name: "Reload" }).click()
    await tab.getByText("The new file is in use.").waitFor()
    expect(await chat(visit, visit.key)).toBe(200)
    expect(await spentBy(visit)).toBe(charged + (charged / 3n) * 2n)
  })

  inConsole("a file with an error is shown with its line, and is not applied", async (visit) => {
    writeConfig(visit, '{\n  "upstreams": {},\n  "routes": 7\n}')
    const tab = await asOperator(visit, "/operator/configuration")
    await tab.getByText("tollgate.jsonc", { exact: true }).waitFor()
    await tab.getByRole("button", { name: "Check the file" }).click()
    await tab
      .getByRole("alert")
      .filter({ hasText: /:3:\d+/ })
      .waitFor()
    await tab.getByRole("button", { name: "Reload" }).click()
    await tab.getByRole("dialog").waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.getByRole("dialog").getByRole("button", { name: "Reload" }).click()
    await tab.getByText("The gateway keeps the old configuration.").waitFor()
    expect(await axe(tab)).toEqual([])
    expect(await chat(visit, visit.key)).toBe(200)
    writeConfig(visit, JSON.stringify(config))
  })

  inConsole("an upstream that refuses connections is shown paused, with when it is tried again", async (visit) => {
    const tab = await asOperator(visit, "/operator/upstreams")
    await tab.getByRole("region", { name: "sandbox" }).getByText("Always on").waitFor()
    const card = tab.getByRole("region", { name: "down" })
    // The pause may end while the page loads, and each further call that fails begins a longer one.
    await expect
      .poll(async () => {
        await chat(visit, visit.key, "down")
        return card.textContent()
      })
      .toMatch(/Paused.*No connection can be made\. The next call is sent in \d+ s/)
    await card.getByText("Serves 1 operation").click()
    await card.getByText("chat.completions").waitFor()
    expect(await axe(tab)).toEqual([])
  })

  inConsole("the margin is shown by account, operation, model and upstream, also below zero", async (visit) => {
    for (let i = 0; i < 2; i++) expect(await chat(visit, visit.key)).toBe(200)
    const db = new DatabaseSync(join(visit.data, "tollgate.db"), { timeout: 60_000 })
    const number = (select: string) => Number(db.prepare(`SELECT ${select} AS n`).get()?.["n"])
    // Until then the last calls are not in the tables.
    await expect.poll(() => number("(SELECT COUNT(*) FROM journal)")).toBe(0)
    // As if the sandbox had prices, twice as high as ours.
    db.exec(`
      UPDATE calls SET cost_nano = charged * 2000 WHERE state = 'settled';
      INSERT INTO cost_sums SELECT ended_at / 86400000 * 86400000, account, operation, COALESCE(model, ''),
        COALESCE(upstream, ''), COUNT(*), SUM(charged), SUM(cost_nano)
      FROM calls WHERE cost_nano IS NOT NULL GROUP BY 1, 2, 3, 4, 5`)
    const charged = BigInt(number("(SELECT SUM(charged) FROM calls)"))
    db.close()
    const tab = await asOperator(visit, "/operator/billing")
    await tab.getByText("Revenue, cost not known").waitFor()
    expect(await figure(tab, "Margin")).toBe(`−${usd(charged)}`)
    expect(await figure(tab, "Cost")).toBe(usd(charged * 2n))
    await tab.getByRole("row").filter({ hasText: "-100%" }).first().waitFor()
    expect(await axe(tab)).toEqual([])
    for (const [grouping, name] of [
      ["Operation", "chat.completions"],
      ["Model", "sandbox"],
      ["Upstream", "sandbox"],
      ["Day", new Date().toISOString().slice(0, 10)]
    ] as const) {
      await tab.getByRole("radio", { name: grouping, exact: true }).check()
      await tab.getByRole("rowheader", { name }).waitFor()
    }
    await tab.getByRole("radio", { name: "Account" }).check()
    await tab.getByRole("rowheader").getByRole("link").first().click()
    await tab.getByRole("group", { name: "Latest calls" }).getByRole("rowheader").getByRole("link").first().click()
    for (const [label, amount] of [
      ["Upstream cost", /^\$0\.\d+$/],
      ["Margin", /^−\$0\.\d+$/]
    ] as const) {
      await tab.locator("dt").filter({ hasText: label }).locator("+ dd").filter({ hasText: amount }).waitFor()
    }
  })

  inConsole("the audit says whether the ledger is consistent, and where it is not", async (visit) => {
    const tab = await asOperator(visit, "/operator/health")
    await tab.getByRole("button", { name: "Run the audit" }).click()
    await tab.getByText("The ledger is consistent").waitFor()
    expect(await axe(tab)).toEqual([])
    const db = new DatabaseSync(join(visit.data, "tollgate.db"), { timeout: 60_000 })
    db.exec("UPDATE accounts SET balance = balance + 1")
    await tab.getByRole("button", { name: "Run it again" }).click()
    await tab.getByText("1 difference in the ledger").waitFor()
    await tab.getByRole("row").filter({ hasText: "acct_" }).getByText("balance").waitFor()
    db.exec("UPDATE accounts SET balance = balance - 1")
    db.close()
    await tab.getByRole("button", { name: "Run it again" }).click()
    await tab.getByText("The ledger is consistent").waitFor()
  })

  inConsole("no page of the gateway's side is too wide for a phone", async (visit) => {
    const tab = await asOperator(visit, "/operator/prices", { viewport: phone })
    await tab.getByRole("button", { name: "Multiply" }).click()
    await tab.getByRole("region", { name: "Preview" }).waitFor()
    expect(await isTooWide(tab)).toBe(false)
    for (const [page, text] of [
      ["Billing", "Revenue, cost not known"],
      ["Upstreams", "Serves"],
      ["Operations", "Add an API"],
      ["Models and prices", "Current prices"],
      ["Health", "It has not run yet"]
    ] as const) {
      await tab.getByRole("navigation", { name: "Operator" }).getByRole("link", { name: page }).click()
      await tab.getByText(text).first().waitFor()
      await tab.getByRole("heading", { level: 1, name: page, exact: true }).waitFor()
      expect([page, await isTooWide(tab)]).toEqual([page, false])
    }
    await tab.getByRole("main").getByRole("link", { name: "Configuration" }).click()
    await tab.getByText("Current configuration", { exact: true }).waitFor()
    expect(await isTooWide(tab)).toBe(false)
    for (const [path, page] of [
      ["margin", "Billing"],
      ["import", "Operations"],
      ["audit", "Health"]
    ]) {
      await tab.goto(`${visit.address}/operator/${path}`)
      await tab.getByRole("heading", { level: 1, name: page ?? "", exact: true }).waitFor()
    }
  })

  inConsole("billing has what all accounts paid in a window, and who is low", async (visit) => {
    const { id } = await admin<Account>(visit, "/accounts", { label: "Payer" })
    await admin(visit, `/accounts/${id}/topups`, { amount_micros_usd: 12_345_678, note: "invoice 7" })
    const { balance_micros_usd: balance } = await admin<Account>(visit, `/accounts/${id}/adjustments`, {
      amount_micros_usd: -1_000_000,
      note: "taken back"
    })
    await admin(visit, `/accounts/${id}/adjustments`, { amount_micros_usd: 999_999 - Number(balance), note: "rest" })
    const tab = await asOperator(visit, "/operator/billing")
    const row = (table: string, text: string) =>
      tab.getByRole("group", { name: table, exact: true }).getByRole("row").filter({ hasText: text })
    await row("Transactions", "invoice 7").getByText("$12.345678").waitFor()
    expect(await figure(tab, "Top-ups")).toBe("$12.35")
    await row("Low balances", "Payer").getByText("$0.999999").first().waitFor()
    expect(await axe(tab)).toEqual([])
    // The window is in the address, and another one has none of them.
    await tab.goto(`${visit.address}/operator/billing?window=2020-01-01..2020-01-31`)
    await tab.getByText("No transactions in this window").waitFor()
    expect(await figure(tab, "Top-ups")).toBe("$0.00")
  })

  inConsole("a gateway without an admin token says how to turn the operator's side on", async ({ browser }) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(gatewayProgram({ env: { TOLLGATE_BASE_URL: "https://gateway.example.com" } }), ({ address }) =>
          Effect.promise(async () => {
            const tab = await browser.newPage()
            await tab.goto(`${address}/operator`)
            await tab.getByLabel("Admin token").fill(adminToken)
            await tab.getByLabel("Admin token").press("Enter")
            await tab.getByText("The admin API is off").waitFor()
            await tab.getByText("Set TOLLGATE_ADMIN_TOKEN").waitFor()
          })
        )
      )
    )
  )
})
