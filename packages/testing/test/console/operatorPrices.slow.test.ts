import { expect } from "@effect/vitest"
import { axe, consoleTests, type ConsoleVisit, phone } from "@tollgate/testing/console/consolePage"
import { adminToken, asOperator, chat } from "@tollgate/testing/console/operator"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"

const config = { prices: { operations: { rerank: { contract: "per_request", amount: "0.01" } } }, sandbox: true }

const fileOf = ({ data }: ConsoleVisit) => join(data, "../tollgate.jsonc")

/** Tries another price of a model's output. The card that applies it comes into view. */
const changeOutput = async (tab: Page, amount: string) => {
  await tab.getByLabel("Filter prices").fill("chat.completions")
  await tab.getByRole("button", { name: "Change the price of chat.completions sandbox" }).click()
  await tab.getByRole("dialog").getByLabel("USD per million output tokens").fill(amount)
  await tab.getByRole("dialog").getByRole("button", { name: "Preview" }).click()
  await tab.getByText("1 price is changed.").waitFor()
  await tab.locator("[aria-label=Preview]:focus").waitFor()
  return tab.getByRole("region", { name: "Apply these prices" })
}

consoleTests({ env: { TOLLGATE_ADMIN_TOKEN: adminToken, TOLLGATE_CONFIG_WRITE: "on" }, config }, (inConsole) => {
  inConsole("a price is changed, previewed and applied", async (visit) => {
    expect(await chat(visit, visit.key)).toBe(200)
    const tab = await asOperator(visit, "/operator/prices")
    const card = await changeOutput(tab, "6")
    expect(await card.getByRole("row").filter({ hasText: "chat.completions" }).textContent()).toMatch(
      /\$1 in, \$4 out.*\$1 in, \$6 out/
    )
    expect(await axe(tab)).toEqual([])
    await card.getByLabel("Note").fill("Ann: new contract")
    await card.getByRole("button", { name: "Change 1 price" }).click()
    await tab.getByText("1 price changed. New calls cost the new prices.").waitFor()
    await tab.getByText("No price is changed yet.").waitFor()
    await tab.getByRole("row").filter({ hasText: "$1 in, $6 out" }).first().waitFor()
    expect(await axe(tab)).toEqual([])
    // It is recorded.
    const record = tab.getByRole("group", { name: "Changes" }).getByRole("row").filter({ hasText: "Ann: new" })
    await record.getByText("prices applied").waitFor()
    await record.getByText("127.0.0.1").waitFor()
    await record.getByRole("button", { name: "price of" }).click()
    const shown = tab.getByRole("dialog", { name: "Applied prices" })
    await shown.getByRole("row").filter({ hasText: "$1 in, $6 out" }).waitFor()
    expect(await axe(tab)).toEqual([])
    await shown.getByRole("button", { name: "Close" }).click()
    const written = JSON.parse(readFileSync(fileOf(visit), "utf8")) as typeof config & { prices: object }
    expect(written).toMatchObject({ sandbox: true, prices: { operations: config.prices.operations } })
    expect(written.prices.operations).toMatchObject({ "chat.completions": { models: { sandbox: { output: "6" } } } })
  })

  inConsole("a file that was changed meanwhile is not overwritten, and the console says so", async (visit) => {
    const tab = await asOperator(visit, "/operator/prices", { viewport: phone })
    const card = await changeOutput(tab, "7")
    const byHand = `${readFileSync(fileOf(visit), "utf8")} // by hand`
    writeFileSync(fileOf(visit), byHand)
    await card.getByRole("button", { name: "Change 1 price" }).click()
    await card.getByRole("alert").filter({ hasText: "The file was changed in the meantime." }).waitFor()
    expect(await axe(tab)).toEqual([])
    expect(readFileSync(fileOf(visit), "utf8")).toBe(byHand)
    // The draft is still there, and is made for the file as it is now.
    await card.getByRole("button", { name: "Change 1 price" }).click()
    await tab.getByText("1 price changed. New calls cost the new prices.").waitFor()
    expect(readFileSync(fileOf(visit), "utf8")).toContain("// by hand")
  })
})
