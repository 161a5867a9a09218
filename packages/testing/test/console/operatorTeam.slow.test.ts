import { expect } from "@effect/vitest"
import type { Account } from "@tollgate/contract/admin/Account"
import { axe, consoleTests, phone } from "@tollgate/testing/console/consolePage"
import { adminToken, asOperator } from "@tollgate/testing/console/operator"

const tooWide = "document.documentElement.scrollWidth > innerWidth"

consoleTests({ env: { TOLLGATE_ADMIN_TOKEN: adminToken } }, (inConsole) => {
  inConsole("an operator is added, signs in by a link, makes a token, and is in the trail", async (visit) => {
    const tab = await asOperator(visit, "/operator/team")
    await tab.getByText("You use the shared token, which belongs to nobody.").waitFor()
    await tab.getByRole("button", { name: "Add an operator" }).click()
    const dialog = tab.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Ada <b>L.</b>")
    await dialog.getByLabel("Role").selectOption("support")
    expect(await axe(tab)).toEqual([])
    await dialog.getByRole("button", { name: "Add" }).click()
    await tab.getByRole("button", { name: "Sign-in link for Ada <b>L.</b>" }).click()
    await tab.getByRole("dialog").getByRole("button", { name: "Make the link" }).click()
    await tab.getByText("It signs in once, within 15 minutes.").waitFor()
    const link = (await tab.locator("figure pre").textContent()) ?? ""
    expect(link.startsWith(`${visit.address}/operator#link=`)).toBe(true)
    expect(await axe(tab)).toEqual([])

    const ada = await visit.open(link.replace(visit.address, ""))
    await ada.getByRole("navigation", { name: "Operator" }).getByRole("link", { name: "Team" }).click()
    await ada.getByText("You are Ada <b>L.</b>: support").waitFor()
    await ada.getByText("refunds up to a limit of $10").waitFor()
    // Support adds nobody.
    expect(await ada.getByRole("button", { name: "Add an operator" }).count()).toBe(0)
    await ada.getByRole("button", { name: "Make a token" }).click()
    await ada.getByRole("dialog").getByLabel("Label").fill("nightly")
    await ada.getByRole("dialog").getByRole("button", { name: "Make the token" }).click()
    const token = (await ada.locator("figure pre").textContent()) ?? ""
    const asToken = (path: string, body?: object) =>
      fetch(`${visit.address}/admin/v1${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    expect((await asToken("/me")).status).toBe(200)
    expect((await asToken("/operators", { name: "Eve", role: "owner" })).status).toBe(403)
    const accounts = (await (await asToken("/accounts")).json()) as { readonly accounts: ReadonlyArray<Account> }
    const id = accounts.accounts[0]!.id
    expect((await asToken(`/accounts/${id}/keys`, { label: "of support", budget_micros_usd: 5_000_000 })).status).toBe(
      201
    )

    // Who did it is one click from the account.
    await ada.goto(`${visit.address}/operator/accounts/${id}`)
    await ada.getByRole("link", { name: "Who changed this account" }).click()
    await ada.getByRole("row").filter({ hasText: "key created" }).filter({ hasText: "Ada <b>L.</b> (op_" }).waitFor()
    expect(await ada.getByLabel("Search the trail").inputValue()).toBe(id)
    await ada.getByRole("row").filter({ hasText: "operator added" }).first().waitFor({ state: "detached" })
    await ada.getByRole("row").filter({ hasText: "label of support" }).filter({ hasText: "budget $5" }).waitFor()
    for (const viewport of [phone, { width: 1440, height: 900 }]) {
      await ada.setViewportSize(viewport)
      expect(await axe(ada)).toEqual([])
      expect(await ada.evaluate(tooWide)).toBe(false)
    }
    if (process.env["PICTURES"] !== undefined) await ada.screenshot({ path: process.env["PICTURES"], fullPage: true })

    // What is taken away holds at once, in the page too.
    await tab.getByRole("button", { name: "End Ada <b>L.</b>" }).click()
    await tab.getByRole("dialog").getByRole("button", { name: "End Ada <b>L.</b>" }).click()
    await tab.getByText("was ended, with all sessions and tokens").waitFor()
    expect((await asToken("/me")).status).toBe(401)
    await ada.reload()
    await ada.getByLabel("Admin token").waitFor()
    visit.wrong.splice(0)
  })
})
