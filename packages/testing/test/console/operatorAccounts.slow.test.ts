import { expect } from "@effect/vitest"
import type { Account, Entry, Key } from "@tollgate/contract/admin/Account"
import type { Grant } from "@tollgate/contract/admin/Grant"
import { axe, consoleTests, type ConsoleVisit, phone } from "@tollgate/testing/console/consolePage"
import { admin, adminToken, asOperator, chat, holdRequests } from "@tollgate/testing/console/operator"
import type { Page } from "playwright-core"

const newAccount = (visit: ConsoleVisit, label: string) => admin<Account>(visit, "/accounts", { label })
const balanceOf = async (visit: ConsoleVisit, id: string) =>
  (await admin<Account>(visit, `/accounts/${id}`)).balance_micros_usd
const topUpsOf = async (visit: ConsoleVisit, id: string) =>
  (await admin<{ entries: ReadonlyArray<Entry> }>(visit, `/accounts/${id}/entries`)).entries.filter(
    ({ kind }) => kind === "topup"
  )

/** The page of a new account. */
const accountPage = async (visit: ConsoleVisit, label: string) => {
  const { id } = await newAccount(visit, label)
  const tab = await asOperator(visit, `/operator/accounts/${id}`)
  await tab.getByRole("heading", { level: 1, name: label }).waitFor()
  return { id, tab }
}

const dialog = (tab: Page) => tab.getByRole("dialog")
const said = (tab: Page, words: string) => tab.getByRole("status").filter({ hasText: words }).waitFor()

/** Fills in the dialog for a new key, and returns the key that is shown. */
const createKey = async (tab: Page, label: string): Promise<string> => {
  await tab.getByRole("button", { name: "Create a key" }).click()
  await dialog(tab).getByLabel("Label").fill(label)
  await dialog(tab).getByRole("button", { name: "Create the key" }).click()
  return shownKey(tab)
}

const shownKey = async (tab: Page): Promise<string> => {
  const key = await tab.getByText(/^tg_[0-9a-z]{39}$/).textContent()
  await tab.getByRole("button", { name: "I have stored it" }).click()
  return key ?? ""
}

const isTooWide = (tab: Page) => tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)

/** The tables and figures that have no room for what is in them. */
const cutIn = (tab: Page) =>
  tab
    .locator("main .table, main .stats")
    .evaluateAll((found) =>
      found.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent.slice(0, 40))
    )

const rowIn = (tab: Page, table: string, text: string) =>
  tab.getByRole("group", { name: table, exact: true }).getByRole("row").filter({ hasText: text })
const keyRow = (tab: Page, text: string) => rowIn(tab, "Keys", text)
/** The newest key is the first. */
const newestKey = (tab: Page) => keyRow(tab, "key_").first()

consoleTests({ env: { TOLLGATE_ADMIN_TOKEN: adminToken } }, (inConsole) => {
  inConsole(
    "a wrong token is refused in words, no page keeps the right one, and a reload stays signed in",
    async (visit) => {
      const tab = await visit.open("/operator")
      const field = tab.getByLabel("Admin token")
      for (const [token, words] of [
        ["", "Paste the admin token."],
        ["clé secrète", "only plain characters"],
        ["not-the-token-of-it", "This is no token of an operator"],
        [visit.key, "This is no token of an operator"]
      ] as const) {
        await field.fill(token)
        await field.press("Enter")
        await tab.getByText(words).waitFor()
      }
      expect(await axe(tab)).toEqual([])
      await field.fill(` ${adminToken} `)
      await tab.getByRole("button", { name: "Sign in" }).click()
      await tab.getByRole("heading", { level: 1, name: "Home" }).waitFor()
      const kept = await tab.evaluate(() =>
        JSON.stringify([localStorage, sessionStorage, location.href, document.cookie])
      )
      expect(kept).not.toContain(adminToken)
      await tab.reload()
      await tab.getByRole("heading", { level: 1, name: "Home" }).waitFor()
      await tab.getByRole("button", { name: "Signed in: Operator" }).click()
      await tab.getByRole("button", { name: "Sign out" }).click()
      await field.waitFor()
      await tab.reload()
      await field.waitFor()
    }
  )

  inConsole("an account is created once, and opens", async (visit) => {
    const tab = await asOperator(visit, "/operator/accounts")
    await tab.getByRole("button", { name: "Create an account" }).click()
    await dialog(tab).getByRole("button", { name: "Create the account" }).click()
    await dialog(tab).getByText("This is required.").waitFor()
    const held = await holdRequests(tab, "/admin/v1/accounts")
    await dialog(tab).getByLabel("Label").fill("<b>Acme</b> & Söhne")
    await dialog(tab).getByRole("button", { name: "Create the account" }).dblclick()
    await expect.poll(() => held.count).toBe(1)
    held.release()
    await tab.getByRole("heading", { level: 1, name: "<b>Acme</b> & Söhne" }).waitFor()
    await said(tab, "was created")
    const { accounts } = await admin<{ accounts: ReadonlyArray<Account> }>(visit, "/accounts")
    expect(accounts.filter(({ label }) => label.includes("Acme"))).toHaveLength(1)
    await tab.goBack()
    await tab.getByRole("link", { name: "<b>Acme</b> & Söhne" }).waitFor()
  })

  inConsole("amounts are booked to the micro-USD, and malformed ones are refused in words", async (visit) => {
    const { id, tab } = await accountPage(visit, "exact")
    const before = BigInt(await balanceOf(visit, id))
    await tab.getByRole("button", { name: "Top up" }).click()
    const field = dialog(tab).getByLabel("Amount in USD")
    for (const [text, words] of [
      ["", "This is required."],
      ["1,5", "no commas"],
      ["1e3", "without an exponent"],
      ["-", "Write digits"],
      ["0x10", "Write digits"],
      ["0.0000001", "At most six decimals"],
      ["-5", "Enter an amount greater than zero"],
      ["0.000000", "Enter an amount greater than zero"],
      ["1000000000.000001", "At most 1000000000"],
      ["9".repeat(400), "At most 1000000000"]
    ] as const) {
      await field.fill(text)
      await field.press("Enter")
      await dialog(tab).getByText(words).waitFor()
      await field.and(tab.locator(":focus")).waitFor()
    }
    expect(await topUpsOf(visit, id)).toEqual([])
    await field.fill("0.000001")
    await dialog(tab).getByRole("button", { name: "Top up $0.000001" }).click()
    await said(tab, "Booked $0.000001.")
    await tab.getByRole("button", { name: "Top up" }).click()
    await field.fill("12345.678901")
    await dialog(tab).getByLabel("Note").fill("Invoice 7")
    await dialog(tab).getByRole("button", { name: "Top up $12,345.678901" }).click()
    await said(tab, "Booked $12,345.678901.")
    await rowIn(tab, "Transactions", "Invoice 7").getByText("$12,345.678901").waitFor()
    expect(BigInt(await balanceOf(visit, id)) - before).toBe(12_345_678_902n)
    await tab.getByRole("button", { name: "Adjust" }).click()
    await field.fill("-0.000002")
    await dialog(tab).getByLabel("Reason").fill(" ")
    await dialog(tab).getByRole("button", { name: "Take $0.000002" }).click()
    await dialog(tab).getByText("This is required.").waitFor()
    await dialog(tab).getByLabel("Reason").fill("Rounding")
    await dialog(tab).getByRole("button", { name: "Take $0.000002" }).click()
    await said(tab, "Booked −$0.000002.")
    expect(BigInt(await balanceOf(visit, id)) - before).toBe(12_345_678_900n)
  })

  inConsole("a top-up is booked once, whether it is clicked twice or its answer is lost", async (visit) => {
    const { id, tab } = await accountPage(visit, "once")
    const held = await holdRequests(tab, "/topups")
    await tab.getByRole("button", { name: "Top up" }).click()
    await dialog(tab).getByLabel("Amount in USD").fill("2")
    await dialog(tab).getByRole("button", { name: "Top up $2.00" }).dblclick()
    await dialog(tab).getByLabel("Amount in USD").press("Enter")
    await expect.poll(() => held.count).toBe(1)
    // Escape closes the dialog, and what was begun goes on.
    await tab.keyboard.press("Escape")
    await dialog(tab).waitFor({ state: "hidden" })
    held.release()
    await said(tab, "Booked $2.00.")
    expect(held.count).toBe(1)
    await tab.unroute("**/topups")
    let lost = 0
    await tab.route("**/topups", async (route) => {
      await route.fetch()
      if (lost++ === 0) await route.abort()
      else await route.continue()
    })
    await tab.getByRole("button", { name: "Top up" }).click()
    await dialog(tab).getByLabel("Amount in USD").fill("3")
    await dialog(tab).getByRole("button", { name: "Top up $3.00" }).click()
    await said(tab, "Booked $3.00.")
    expect((await topUpsOf(visit, id)).map(({ amount_micros_usd }) => amount_micros_usd)).toEqual([
      3_000_000, 2_000_000
    ])
  })

  inConsole("a new key is shown once, also if its dialog is closed before it is made", async (visit) => {
    const { tab } = await accountPage(visit, "keys")
    const held = await holdRequests(tab, "/keys")
    await tab.getByRole("button", { name: "Create a key" }).click()
    await dialog(tab).getByLabel("Label").fill("shop")
    await dialog(tab).getByLabel("Budget in USD", { exact: true }).fill("1.000001")
    await dialog(tab).getByText("More limits").click()
    await dialog(tab).getByLabel("Budget for a day").fill("0.5")
    await dialog(tab).getByRole("button", { name: "Create the key" }).click()
    await expect.poll(() => held.count).toBeGreaterThan(0)
    await tab.keyboard.press("Escape")
    held.release()
    const text = tab.getByText(/^tg_[0-9a-z]{39}$/)
    const key = (await text.textContent()) ?? ""
    expect(await chat(visit, key)).toBe(200)
    await tab.getByRole("button", { name: "I have stored it" }).click()
    await text.waitFor({ state: "hidden" })
    await keyRow(tab, "shop").getByText("$1.000001").waitFor()
    await keyRow(tab, "shop").getByText("$0.50").waitFor()
    await tab.getByRole("link", { name: "Accounts" }).first().click()
    await tab.getByRole("link", { name: "keys", exact: true }).click()
    await keyRow(tab, "shop").waitFor()
    expect(await tab.content()).not.toContain(key)
  })

  inConsole("a key is rotated with a grace, and one that is revoked stops", async (visit) => {
    const { id, tab } = await accountPage(visit, "rotation")
    const first = await createKey(tab, "first")
    await tab.getByRole("button", { name: "Rotate first" }).click()
    await dialog(tab).getByRole("button", { name: "Rotate the key" }).click()
    const second = await shownKey(tab)
    expect([await chat(visit, first), await chat(visit, second)]).toEqual([200, 200])
    await keyRow(tab, "Ends").waitFor()
    await newestKey(tab)
      .getByRole("button", { name: /Rotate/ })
      .click()
    await dialog(tab).getByLabel("Keep the old key working for").selectOption("0")
    await dialog(tab).getByRole("button", { name: "Rotate the key" }).click()
    const third = await shownKey(tab)
    expect(await chat(visit, third)).toBe(200)
    await expect.poll(() => chat(visit, second)).toBe(401)
    await keyRow(tab, "Ended").waitFor()
    await newestKey(tab)
      .getByRole("button", { name: /Revoke/ })
      .click()
    await dialog(tab).waitFor()
    await tab.keyboard.press("Escape")
    await dialog(tab).waitFor({ state: "hidden" })
    expect(await chat(visit, third)).toBe(200)
    await newestKey(tab)
      .getByRole("button", { name: /Revoke/ })
      .click()
    await dialog(tab).getByText("This cannot be undone").waitFor()
    await dialog(tab).getByRole("button", { name: "Revoke the key" }).click()
    await said(tab, "was revoked")
    await expect.poll(() => chat(visit, third)).toBe(401)
    await expect.poll(() => keyRow(tab, "Ended").count()).toBe(2)
    const { keys } = await admin<{ keys: ReadonlyArray<Key> }>(visit, `/accounts/${id}/keys`)
    expect(keys).toHaveLength(3)
  })

  inConsole("a key whose budget is spent says so and is refused, until it gets more", async (visit) => {
    const { tab } = await accountPage(visit, "budget")
    const key = await createKey(tab, "small")
    expect(await chat(visit, key)).toBe(200)
    const edit = async (budget: string) => {
      await tab.getByRole("button", { name: "Change small" }).click()
      await dialog(tab).getByLabel("Budget in USD").fill(budget)
      await dialog(tab).getByRole("button", { name: "Save the key" }).click()
      await said(tab, "was saved")
      await dialog(tab).waitFor({ state: "hidden" })
    }
    await edit("0.000001")
    await keyRow(tab, "small").getByText("Budget reached").waitFor()
    expect(await chat(visit, key)).toBe(402)
    await edit("")
    await keyRow(tab, "small").getByText("Budget reached").waitFor({ state: "detached" })
    expect(await chat(visit, key)).toBe(200)
  })

  inConsole("what a key may call, from where and how long is set by the operator as by its account", async (visit) => {
    const { tab } = await accountPage(visit, "restricted")
    const key = await createKey(tab, "program")
    await tab.getByRole("button", { name: "Change program" }).click()
    await dialog(tab).getByRole("checkbox", { name: "Everything" }).uncheck()
    await dialog(tab).getByRole("checkbox", { name: "rerank" }).check()
    await dialog(tab).getByRole("textbox", { name: "Models" }).fill("sandbox")
    await dialog(tab).getByLabel("Addresses it may be used from").fill("203.0.113.0/24")
    await dialog(tab).getByLabel("Ends").selectOption("30")
    expect(await axe(tab)).toEqual([])
    await dialog(tab).getByRole("button", { name: "Save the key" }).click()
    const row = keyRow(tab, "program")
    for (const words of ["only rerank", "models sandbox", "from 203.0.113.0/24", /^ends on/])
      await row.getByText(words).waitFor()
    expect(await chat(visit, key)).toBe(403)
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)
  })

  inConsole("an account's usage and calls are shown, with the story of each call", async (visit) => {
    const { tab } = await accountPage(visit, "caller")
    await tab.getByText("No calls in this window").waitFor()
    const key = await createKey(tab, "program")
    expect([await chat(visit, key), await chat(visit, key, "no-such-model")]).toEqual([200, 404])
    // The refused call is in the log a moment later.
    const settled = tab.getByRole("group", { name: "Latest calls" }).getByRole("row", { name: /sandbox/ })
    await tab.getByRole("group", { name: "Latest calls" }).getByRole("cell", { name: "program" }).first().waitFor()
    await tab.getByRole("heading", { name: "Calls by day" }).waitFor()
    await settled.getByRole("rowheader").getByRole("link").click()
    await tab.getByText("Settled", { exact: true }).waitFor()
    expect(await axe(tab)).toEqual([])
  })

  inConsole("a call is refunded once, with a reason, and its story shows it", async (visit) => {
    const { id, tab } = await accountPage(visit, "refunds")
    const before = Number(await balanceOf(visit, id))
    const key = await createKey(tab, "program")
    expect(await chat(visit, key)).toBe(200)
    const charged = before - Number(await balanceOf(visit, id))
    expect(charged).toBeGreaterThan(1)
    const refund = tab.getByRole("button", { name: "Refund this call" })
    await tab
      .getByRole("group", { name: "Latest calls" })
      .getByRole("row", { name: /sandbox/ })
      .getByRole("link")
      .click()
    await refund.click()
    // All of the charge is filled in, and the reason is asked for.
    await dialog(tab)
      .getByRole("button", { name: /^Refund \$/ })
      .click()
    await dialog(tab).getByText("This is required.").waitFor()
    expect(await axe(tab)).toEqual([])
    await dialog(tab).getByLabel("Amount in USD").fill("1")
    await dialog(tab).getByText("A refund cannot be more.").waitFor()
    await dialog(tab).getByRole("button", { name: "Cancel" }).click()
    await refund.click()
    await dialog(tab).getByLabel("Amount in USD").fill("0.000001")
    await dialog(tab).getByLabel("Reason").fill("The answer was cut")
    const held = await holdRequests(tab, "/refunds")
    await dialog(tab).getByRole("button", { name: "Refund $0.000001" }).dblclick()
    held.release()
    await said(tab, "Refunded $0.000001.")
    expect([held.count, before - Number(await balanceOf(visit, id))]).toEqual([1, charged - 1])
    await tab.getByText("$0.000001 refunded", { exact: true }).waitFor()
    expect(await refund.count()).toBe(0)
    expect(await axe(tab)).toEqual([])
    await tab.goBack()
    await rowIn(tab, "Transactions", "The answer was cut").waitFor()
  })

  inConsole("a program that was let in is shut out after a confirmation", async (visit) => {
    const { id } = await newAccount(visit, "grants")
    const grant = {
      id: "grant_1",
      account: id,
      client_id: "agent",
      client_name: "An agent",
      machine: false,
      scopes: ["models"],
      created_at: "2026-01-01T00:00:00.000Z",
      ends_at: "2099-01-01T00:00:00.000Z",
      ended: false,
      returns_to: null,
      last_used_at: null,
      spent_micros_usd: 12,
      spent_today_micros_usd: 0,
      limit_micros_usd: 1_000_000,
      day_limit_micros_usd: null,
      ask_above_micros_usd: null,
      allowed: null
    }
    const tab = await visit.open(`/operator/accounts/${id}`)
    const revoked: Array<string> = []
    await tab.route("**/admin/v1/grants", (route) =>
      route.fulfill({
        json: {
          grants: [
            { ...grant, ended: revoked.length > 0 },
            { ...grant, id: "other", account: "acct_other" }
          ]
        }
      })
    )
    await tab.route("**/admin/v1/grants/*/revoke", (route) => {
      revoked.push(new URL(route.request().url()).pathname)
      return route.fulfill({ json: { ...grant, ended: true } })
    })
    await tab.getByLabel("Admin token").fill(adminToken)
    await tab.getByLabel("Admin token").press("Enter")
    await tab.getByRole("button", { name: "Revoke the access of An agent" }).click()
    await dialog(tab).waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.keyboard.press("Escape")
    expect(revoked).toEqual([])
    await tab.getByRole("button", { name: "Revoke the access of An agent" }).click()
    await dialog(tab).getByRole("button", { name: "Revoke" }).dblclick()
    await said(tab, "An agent no longer has access.")
    await rowIn(tab, "Apps", "An agent").getByText("Ended").waitFor()
    expect(revoked).toEqual(["/admin/v1/grants/grant_1/revoke"])
  })

  inConsole("a service account is created, its secret is shown once, and it is ended", async (visit) => {
    const { id, tab } = await accountPage(visit, "machines")
    await tab.getByRole("button", { name: "Create a service account" }).click()
    await dialog(tab).getByLabel("Budget in USD", { exact: true }).fill("1,5")
    await dialog(tab).getByRole("button", { name: "Create the service account" }).click()
    await dialog(tab).getByText("Use a point for decimals").waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)
    await dialog(tab).getByLabel("Label").fill("Nightly report")
    await dialog(tab).getByLabel("Budget in USD", { exact: true }).fill("1.5")
    await dialog(tab).getByRole("checkbox", { name: "Everything" }).uncheck()
    await dialog(tab).getByRole("checkbox", { name: "rerank" }).check()
    await dialog(tab).getByRole("checkbox", { name: "social" }).check()
    await dialog(tab).getByLabel("Ends").selectOption("7")
    await dialog(tab).getByRole("button", { name: "Create the service account" }).click()
    const secret = (await tab.getByText(/^tgs_[0-9a-f]{64}$/).textContent()) ?? ""
    const client = (await tab.getByText(/^machine_[0-9a-f]{20}$/).textContent()) ?? ""
    expect(await axe(tab)).toEqual([])
    expect(await isTooWide(tab)).toBe(false)
    await tab.getByRole("button", { name: "I have stored it" }).click()
    await tab.getByText(secret).waitFor({ state: "detached" })
    const row = rowIn(tab, "Apps", "Nightly report")
    await row.getByText("service account", { exact: true }).waitFor()
    const { clients } = await admin<{ clients: ReadonlyArray<Grant> }>(visit, "/clients")
    expect(clients.filter(({ account }) => account === id)).toMatchObject([
      { client_id: client, limit_micros_usd: 1_500_000, allowed: { categories: ["rerank", "social"] }, scopes: ["use"] }
    ])
    const token = () =>
      fetch(`${visit.address}/oauth/token`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: "client_credentials" })
      })
    expect((await token()).status).toBe(200)
    await row.getByRole("button", { name: "Revoke" }).click()
    await dialog(tab).getByText("Only the operator can make another.").waitFor()
    await dialog(tab).getByRole("button", { name: "Revoke" }).click()
    await row.getByText("Ended").waitFor()
    expect((await token()).status).toBe(401)
  })

  inConsole("terms are changed, and what was not touched stays", async (visit) => {
    const { id, tab } = await accountPage(visit, "terms")
    await tab.getByRole("button", { name: "Change terms" }).click()
    await dialog(tab).getByLabel("Multiplier").fill("1,45")
    await dialog(tab).getByLabel("Requests per minute").fill("0")
    await dialog(tab).getByRole("button", { name: "Save the terms" }).click()
    await dialog(tab).getByText("up to six places").waitFor()
    await dialog(tab).getByText("Enter a whole number from 1 to").waitFor()
    await dialog(tab).getByLabel("Multiplier").fill("1.45")
    await dialog(tab).getByLabel("Requests per minute").fill("77")
    await dialog(tab).getByLabel("Tier").selectOption("Growth")
    await dialog(tab).getByLabel("Why").fill("New contract")
    await dialog(tab).getByRole("button", { name: "Save the terms" }).click()
    await tab.getByText("Growth ×1.45").waitFor()
    expect(await admin<Account>(visit, `/accounts/${id}`)).toMatchObject({
      label: "terms",
      tier: "Growth",
      multiplier: "1.45",
      rpm: 77,
      tpm: 3_000_000
    })
    expect(await admin(visit, `/trail?of=${id}&limit=1`)).toMatchObject({
      trail: [{ action: "account changed", why: "New contract" }]
    })
  })

  inConsole("a failed change is told in the API's words, and nothing is lost", async (visit) => {
    const { tab } = await accountPage(visit, "failing")
    await tab.getByRole("button", { name: "Adjust" }).click()
    await dialog(tab).getByLabel("Amount in USD").fill("-999")
    await dialog(tab).getByLabel("Reason").fill("Taken back")
    await dialog(tab).getByRole("button", { name: "Take $999.00" }).click()
    await dialog(tab).getByRole("alert").waitFor()
    expect(await dialog(tab).getByRole("alert").textContent()).toContain("available")
    expect(await dialog(tab).getByLabel("Amount in USD").inputValue()).toBe("-999")
    const missing = await asOperator(visit, "/operator/accounts/acct_nobody")
    await missing.getByRole("alert").waitFor()
  })

  inConsole(
    "no page of the accounts has a finding of axe, nor is cut off on a phone or a small screen",
    async (visit) => {
      const { id, tab } = await accountPage(visit, `a long label ${"without an end ".repeat(8)}`.trim())
      await createKey(tab, "phone")
      await createKey(tab, "a-label-of-one-word".repeat(5))
      await tab.getByRole("button", { name: "Top up" }).click()
      await dialog(tab).getByLabel("Amount in USD").fill("987654321.123456")
      await dialog(tab).getByRole("button", { name: "Top up $987,654,321.123456" }).click()
      await said(tab, "Booked $987,654,321.123456.")
      expect(await axe(tab)).toEqual([])
      await tab.setViewportSize({ width: 1024, height: 768 })
      expect([await isTooWide(tab), await cutIn(tab)]).toEqual([false, []])
      await tab.setViewportSize(phone)
      expect([await isTooWide(tab), await cutIn(tab)]).toEqual([false, []])
      for (const name of [
        "Top up",
        "Adjust",
        "Record a chargeback",
        "Change terms",
        "Create a key",
        "Change phone",
        "Rotate phone",
        "Revoke phone"
      ]) {
        await tab.getByRole("button", { name }).click()
        await dialog(tab).waitFor()
        expect([name, await isTooWide(tab), await axe(tab)]).toEqual([name, false, []])
        await tab.keyboard.press("Escape")
        await dialog(tab).waitFor({ state: "hidden" })
      }
      await tab.getByRole("link", { name: "Accounts" }).first().click()
      await tab.getByRole("heading", { level: 1, name: "Accounts" }).waitFor()
      await tab.getByText(id).waitFor()
      expect([await isTooWide(tab), await cutIn(tab), await axe(tab)]).toEqual([false, [], []])
      await tab.setViewportSize({ width: 1024, height: 768 })
      expect([await isTooWide(tab), await cutIn(tab)]).toEqual([false, []])
      await tab.setViewportSize(phone)
      await tab.getByRole("button", { name: "Create an account" }).click()
      await dialog(tab).waitFor()
      expect(await axe(tab)).toEqual([])
      expect(await isTooWide(tab)).toBe(false)
    }
  )

  inConsole("two thousand accounts stay easy to search", async (visit) => {
    const real = await newAccount(visit, "customer 1999")
    const tab = await visit.open("/operator/accounts")
    await tab.route("**/admin/v1/accounts", (route) =>
      route.fulfill({
        json: {
          accounts: [
            real,
            ...Array.from({ length: 1_999 }, (_, i) => ({ ...real, id: `acct_made_up_${i}`, label: `customer ${i}` }))
          ]
        }
      })
    )
    await tab.getByLabel("Admin token").fill(adminToken)
    await tab.getByLabel("Admin token").press("Enter")
    await tab.getByText("100 of 2,000").waitFor()
    await tab.getByLabel("Search accounts").fill("CUSTOMER 1999")
    await tab.getByText("100 of 2,000").waitFor({ state: "hidden" })
    await tab.getByRole("link", { name: "customer 1999" }).click()
    await tab.getByRole("heading", { level: 1, name: "customer 1999" }).waitFor()
    // The search is still there.
    await tab.goBack()
    await tab.getByRole("link", { name: "customer 1999" }).waitFor()
    await tab.getByLabel("Search accounts").fill("nobody at all")
    await tab.getByText("No account has this label or id").waitFor()
    await tab.getByLabel("Search accounts").fill("")
    await tab.getByLabel("Order").selectOption("label")
    await tab.getByRole("button", { name: "Show more" }).click()
    await tab.getByText("200 of 2,000").waitFor()
  })

  inConsole("too many wrong tokens say how long to wait", async (visit) => {
    for (let i = 0; i < 12; i++) {
      await fetch(`${visit.address}/admin/v1/accounts`, { headers: { authorization: `Bearer wrong-token-${i}` } })
    }
    const tab = await visit.open("/operator")
    await expect
      .poll(async () => {
        await tab.getByLabel("Admin token").fill("one-more-wrong-token")
        await tab.getByLabel("Admin token").press("Enter")
        await tab.getByText(/not the admin token|Too many wrong tokens/).waitFor()
        return tab.getByText(/Try again in \d/).count()
      })
      .toBe(1)
  })
})
