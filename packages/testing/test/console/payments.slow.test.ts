import { expect } from "@effect/vitest"
import type { Account, NewKey } from "@tollgate/contract/admin/Account"
import type { Operator, SignInLink } from "@tollgate/contract/admin/Operator"
import { axe, consoleTests, type ConsoleVisit, phone } from "@tollgate/testing/console/consolePage"
import { admin, adminToken, asOperator } from "@tollgate/testing/console/operator"
import type { Page } from "playwright-core"

const transfer = "Example Bank\nIBAN XX00 1234"

const isTooWide = (tab: Page) => tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)
const said = (tab: Page, words: string | RegExp) => tab.getByRole("status").filter({ hasText: words }).waitFor()
const payment = (tab: Page, words: string | RegExp) =>
  tab.getByRole("group", { name: "Payments", exact: true }).getByRole("row").filter({ hasText: words })
const dialog = (tab: Page) => tab.getByRole("dialog")

/** The billing page of a new customer. */
const customer = async (visit: ConsoleVisit, label: string) => {
  const { id } = await admin<Account>(visit, "/accounts", { label })
  const { key } = await admin<NewKey>(visit, `/accounts/${id}/keys`, { label: "laptop" })
  const tab = await visit.signedIn("/billing", { key })
  await tab.getByRole("button", { name: "Add money" }).waitFor()
  return { id, tab }
}

const addMoney = (tab: Page) => tab.getByRole("button", { name: "Add money" }).click()

/** Presses a button of the page where a card is paid. */
const payByCard = async (tab: Page, press: RegExp, isSaved = false) => {
  if (!(await dialog(tab).isVisible())) await addMoney(tab)
  if (isSaved) await tab.getByLabel("Save the card for later").check()
  await tab.getByRole("button", { name: "Pay by card" }).click()
  await tab.getByRole("button", { name: press }).click()
  await tab.waitForURL(/\/billing\?payment=pay_/)
  return new URL(tab.url()).searchParams.get("payment") ?? ""
}

const looksRight = async (tab: Page) => {
  expect(await axe(tab)).toEqual([])
  const before = tab.viewportSize()
  await tab.setViewportSize(phone)
  expect(await isTooWide(tab)).toBe(false)
  if (before !== null) await tab.setViewportSize(before)
}

const config = { sandbox: true, payments: { sandbox: true, transfer } }

consoleTests({ env: { TOLLGATE_ADMIN_TOKEN: adminToken }, config }, (inConsole) => {
  inConsole("a customer pays by card, saves it, and has it charged when little is left", async (visit) => {
    const { id: account, tab } = await customer(visit, "Acme")
    await addMoney(tab)
    await tab.getByText("No money moves here").waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.getByLabel("Amount in USD", { exact: true }).fill("1.005")
    await tab.getByRole("button", { name: "Pay by card" }).click()
    await tab.getByText("Enter an amount from $5.00 to $10,000.00.").waitFor()
    await tab.getByRole("radio", { name: "$25" }).check()
    await payByCard(tab, /declined/)
    await tab.getByText("The payment of $25.00 failed, and nothing was added.").waitFor()
    await tab.getByRole("alert").getByText("The card was declined.").waitFor()
    await tab.getByRole("link", { name: "Close" }).click()
    const id = await payByCard(tab, /^Pay with 4242/, true)
    await tab.getByText("Thank you, $25.00 were added.").waitFor()
    await payment(tab, id).getByText("Paid", { exact: true }).waitFor()
    const balance = tab.getByText("Balance", { exact: true }).first().locator("..")
    await balance.getByText("$30.00").first().waitFor()

    const [receipt] = await Promise.all([
      tab.waitForEvent("popup"),
      payment(tab, id).getByRole("link", { name: "Receipt" }).click()
    ])
    await receipt.getByText(`Receipt: paid with 4242 4242 4242 4242, as ${id} of ${account}.`).waitFor()
    await looksRight(receipt)
    await receipt.close()

    await tab.getByText("The saved card is pretend 4242.").waitFor()
    await tab.getByRole("button", { name: "Turn on" }).click()
    const below = tab.getByLabel("As soon as less than this is available, in USD")
    await below.fill("20")
    await tab.getByLabel("At most in a month, in USD").fill("24")
    await dialog(tab).getByRole("button", { name: "Turn on" }).click()
    await tab.getByText("Enter as much as one charge, or more.").waitFor()
    await tab.getByLabel("At most in a month, in USD").fill("30")
    await dialog(tab).getByRole("button", { name: "Turn on" }).click()
    await said(tab, "The automatic recharge is on.")
    await looksRight(tab)
    await admin(visit, `/accounts/${account}/adjustments`, { amount_micros_usd: -15_000_000, note: "spent" })
    await payment(tab, "Automatic recharge").getByText("Paid", { exact: true }).waitFor()
    await tab.getByText("Charged this month (UTC): $25.00 of at most $30.00.").waitFor()

    await tab.getByRole("button", { name: "Forget the card" }).click()
    await dialog(tab).getByRole("button", { name: "Forget the card" }).click()
    await tab.getByText("To turn it on, add money and save the card.").waitFor()
  })

  inConsole(
    "an invoice is printed, and booked by the operator, who gives a part of a card payment back",
    async (visit) => {
      const { id: account, tab } = await customer(visit, "Bolt")
      const card = await payByCard(tab, /^Pay with 4242/)
      await tab.getByText("Thank you, $25.00 were added.").waitFor()
      await tab.getByRole("link", { name: "Close" }).click()
      await addMoney(tab)
      await tab.getByLabel("Pay", { exact: true }).selectOption("invoice")
      await tab.getByLabel("Amount in USD", { exact: true }).fill("500.50")
      await tab.getByRole("button", { name: "Make an invoice" }).click()
      await tab.getByRole("heading", { name: /^Invoice pay_/ }).waitFor()
      const invoice = new URL(tab.url()).searchParams.get("payment") ?? ""
      for (const words of ["$500.50", "IBAN XX00 1234", `Bolt (${account})`, invoice]) {
        await tab.getByRole("definition").filter({ hasText: words }).first().waitFor()
      }
      await looksRight(tab)
      await tab.emulateMedia({ media: "print" })
      expect(await tab.getByRole("heading", { name: "Transactions" }).isVisible()).toBe(false)
      expect(await tab.getByText("IBAN XX00 1234").isVisible()).toBe(true)
      await tab.emulateMedia({ media: null })

      await tab.getByRole("link", { name: "Close" }).click()
      await addMoney(tab)
      await tab.getByLabel("Pay", { exact: true }).selectOption("invoice")
      await tab.getByRole("button", { name: "Make an invoice" }).click()
      await tab.getByRole("button", { name: "Void" }).click()
      await dialog(tab).getByRole("button", { name: "Void the invoice" }).click()
      await said(tab, "The invoice was voided.")
      await payment(tab, "The customer has ended it.").getByText("Failed").waitFor()
      expect(await tab.getByRole("button", { name: "Void" }).count()).toBe(0)

      const desk = await asOperator(visit, "/operator/billing")
      await desk.getByRole("radio", { name: "Open" }).check()
      await payment(desk, card).waitFor({ state: "hidden" })
      await desk.getByRole("button", { name: `Mark as paid ${invoice}` }).click()
      await dialog(desk).getByRole("button", { name: "Mark as paid" }).click()
      await dialog(desk).getByText("This is required.").waitFor()
      await dialog(desk).getByLabel("Reference of the bank").fill("transfer 2026/7")
      await dialog(desk).getByRole("button", { name: "Mark as paid" }).click()
      await said(desk, `${invoice}: paid`)
      await payment(desk, invoice).waitFor({ state: "hidden" })
      await desk.getByRole("radio", { name: "All" }).check()
      await looksRight(desk)
      await payment(desk, card).getByRole("link", { name: "Bolt" }).click()

      await desk.getByRole("heading", { level: 1, name: "Bolt" }).waitFor()
      await desk.getByRole("button", { name: "Show payments" }).click()
      await desk.getByRole("button", { name: `Check ${card}` }).click()
      await dialog(desk).getByRole("button", { name: "Check" }).click()
      await said(desk, `${card}: paid, $0.00 returned.`)
      await desk.getByRole("button", { name: `Refund ${card}` }).click()
      await dialog(desk).getByLabel("Amount in USD").fill("5")
      await dialog(desk).getByLabel("Reason").fill("paid too much")
      await dialog(desk).getByRole("button", { name: "Refund" }).click()
      await said(desk, `${card}: paid, $5.00 returned.`)

      await payment(tab, card).getByText("$5.00").waitFor()
      await payment(tab, invoice).getByText("Paid", { exact: true }).waitFor()
      await tab.getByRole("row", { name: /Reversed payment .*\$5\.00/ }).waitFor()
    }
  )

  inConsole("an open payment is ended with a reason that the customer sees; a reader changes none", async (visit) => {
    const { tab } = await customer(visit, "Cord")
    await addMoney(tab)
    await tab.getByRole("button", { name: "Pay by card" }).click()
    await tab.getByRole("button", { name: /^Pay with 4242/ }).waitFor()
    await tab.goto(`${visit.address}/billing`)
    await payment(tab, "Open").getByRole("link", { name: "Pay" }).waitFor()
    const { id } = await admin<Operator>(visit, "/operators", { name: "Rhea", role: "reader" })
    const { url } = await admin<SignInLink>(visit, `/operators/${id}/links`, {})
    const reader = await visit.open(`/operator/billing${new URL(url).hash}`)
    await payment(reader, "Cord").waitFor()
    expect(await payment(reader, "Cord").getByRole("button").count()).toBe(0)
    const desk = await asOperator(visit, "/operator/billing")
    await payment(desk, "Cord").getByRole("button", { name: "Void" }).click()
    await dialog(desk).getByLabel("Reason").fill("wrong amount")
    await dialog(desk).getByRole("button", { name: "Void" }).click()
    await payment(tab, "wrong amount").getByText("Failed").waitFor()
  })
})
