import { expect } from "@effect/vitest"
import type { GivenGrants, LinkState } from "@tollgate/contract/account/Access"
import type { LimitState } from "@tollgate/contract/account/LimitState"
import { axe, consoleTests, phone } from "@tollgate/testing/console/consolePage"
import { letIn } from "@tollgate/testing/console/letIn"
import { adminToken, callsWith, newKey, withAdmin } from "@tollgate/testing/console/newKey"
import type { Page } from "playwright-core"

const failing = { status: 503, json: { error: { code: "billing_unavailable", message: "Not now, please." } } }

const isTooWide = (tab: Page) => tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)

const gauge = (tab: Page, name: string) => tab.getByRole("meter", { name, exact: true })
const valueOf = (tab: Page, name: string) => gauge(tab, name).getAttribute("aria-valuetext")

/** Opens the platform's page in another tab, and decides there. */
const decide = async (tab: Page, decision: "Approve" | "Deny") => {
  const [platform] = await Promise.all([
    tab.context().waitForEvent("page"),
    tab.getByRole("link", { name: "Open the platform’s page" }).click()
  ])
  await platform.getByRole("link", { name: decision }).click()
  await platform.getByRole("heading", { name: decision === "Approve" ? "Account linked" : "Not linked" }).waitFor()
  await platform.close()
}

const minute: LimitState = {
  now: 1_000_000,
  requests: { limit: 60, remaining: 60, full_at: 0 },
  tokens: { limit: 60_000, remaining: 60_000, full_at: 0 },
  concurrency: { limit: 5, running: 0 },
  groups: [{ id: "some_group", limit: 5, remaining: 5, full_at: 0 }],
  tasks: { limit: 3, running: 0 }
}

const reached: LimitState = {
  ...minute,
  requests: { limit: 60, remaining: 0, full_at: 1_059_900 },
  tokens: { limit: 60_000, remaining: -120, full_at: 1_061_000 },
  concurrency: { limit: 5, running: 5 },
  tasks: { limit: 3, running: 3 }
}

consoleTests(withAdmin, (inConsole) => {
  inConsole("the limits follow the calls, also those of single operations", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/limits", { key })
    await expect.poll(() => valueOf(tab, "Requests per minute")).toBe("3,000 of 3,000 left")
    expect(await tab.getByRole("heading", { name: /of single operations/ }).count()).toBe(0)
    await tab.getByRole("row", { name: /^Growth yours 3,000 3,000,000 50/ }).waitFor()
    await tab.getByRole("row", { name: /5 requests per minute.*deep_research/ }).waitFor()
    expect(await axe(tab)).toEqual([])
    const post = (path: string, body: object) =>
      fetch(`${visit.address}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      }).then((answer) => answer.text())
    await post("/v1/deep-research/search", { model: "sandbox", messages: [{ role: "user", content: "Rivers" }] })
    await post("/v1beta/models/sandbox:generateContent", { contents: [{ role: "user", parts: [{ text: "Rivers" }] }] })
    await gauge(tab, "Deep research").waitFor()
    await gauge(tab, "Generate content").waitFor()
    expect(await gauge(tab, "Deep research").getAttribute("aria-valuemax")).toBe("5")

    const { leave } = await callsWith(visit, key).openCall()
    await expect.poll(() => valueOf(tab, "Calls at once")).toBe("1 of 50 running")
    leave()
    await expect.poll(() => valueOf(tab, "Calls at once")).toBe("0 of 50 running")
  })

  inConsole("a limit that is reached says so, nothing moves, and a failure keeps the last state", async (visit) => {
    const limits = "**/account/v1/limits"
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/tools", { key })
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    let state: LimitState | undefined = minute
    await tab.route(limits, async (route) => {
      await held
      await route.fulfill(state === undefined ? failing : { json: state })
    })
    await tab.getByRole("link", { name: "Limits" }).click()
    await tab.getByRole("status", { name: "Loading" }).first().waitFor()
    answer()
    await gauge(tab, "Some group").waitFor()
    const places = () => Promise.all([0, 1, 2, 3, 4].map((each) => tab.getByRole("meter").nth(each).boundingBox()))
    const before = await places()
    expect(new Set(before.map((box) => box?.height)).size).toBe(1)
    state = reached
    await tab.getByText("limit reached, resets in 60 s").waitFor()
    await tab.getByText("limit reached, resets in 61 s").waitFor()
    expect(await tab.getByText("limit reached, until one of them ends").count()).toBe(2)
    expect(await valueOf(tab, "Tokens per minute")).toBe("0 of 60,000 left")
    expect(await places()).toEqual(before)
    expect(await axe(tab)).toEqual([])
    state = undefined
    await tab.getByRole("alert").getByText("Not now, please.").waitFor()
    await tab.getByText("The limits below are the last that arrived.").waitFor()
    expect(await valueOf(tab, "Tasks at once")).toBe("3 of 3 running")
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)
    state = minute
    await tab.getByRole("alert").waitFor({ state: "detached" })
  })

  inConsole("an account is linked in another tab, and unlinked after a question", async (visit) => {
    const { key } = await newKey(visit)
    const { read } = callsWith(visit, key)
    const tab = await visit.signedIn("/links", { key })
    const begin = tab.getByRole("button", { name: "Link", exact: true })
    const scopesOffered = tab.getByRole("group", { name: "What calls may do for you" }).getByRole("checkbox")
    await scopesOffered.first().waitFor()
    for (const scope of await scopesOffered.all()) await scope.uncheck()
    expect(await begin.isDisabled()).toBe(true)
    await tab.getByLabel("Read posts").check()
    await tab.getByLabel("Follow and unfollow").check()
    expect(await axe(tab)).toEqual([])
    await begin.click()
    // A person who denies it changes nothing, and can begin again.
    await decide(tab, "Deny")
    expect((await read<LinkState>("/account/v1/link")).linked).toBe(false)
    expect(await axe(tab)).toEqual([])
    const address = () => tab.getByRole("link", { name: "Open the platform’s page" }).getAttribute("href")
    const denied = await address()
    await tab.getByRole("button", { name: "Start over" }).click()
    await expect.poll(address).not.toBe(denied)
    await decide(tab, "Approve")
    await tab.getByText("linked", { exact: true }).waitFor()
    const { scopes } = await read<LinkState>("/account/v1/link")
    expect(scopes).toEqual(expect.arrayContaining(["tweet.read", "follows.write"]))
    await tab.getByRole("definition").filter({ hasText: "Follow and unfollow, Read posts" }).waitFor()
    await tab.getByText("Link another account").click()
    await tab.getByRole("button", { name: "Link again" }).waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)

    await tab.getByRole("button", { name: "Unlink" }).click()
    await tab.getByRole("dialog").waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
    expect((await read<LinkState>("/account/v1/link")).linked).toBe(true)
    await tab.getByRole("button", { name: "Unlink" }).click()
    await tab.getByRole("dialog", { name: "Unlink the account?" }).getByRole("button", { name: "Unlink" }).click()
    await tab.getByText("not linked", { exact: true }).waitFor()
    expect((await read<LinkState>("/account/v1/link")).linked).toBe(false)
  })

  inConsole("a link that nobody approved in time is started again, and a failing gateway says so", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/links", { key })
    await tab.route("**/auth_*", (route) =>
      route.fulfill({ json: { auth_url: "https://x.example/", state: "s", expires_at: "2020-01-01T00:00:00Z" } })
    )
    await tab.getByRole("button", { name: "Link", exact: true }).click()
    await tab.getByText("Nobody approved it in time").waitFor()
    await tab.unroute("**/auth_*")
    await tab.getByRole("button", { name: "Start over" }).click()
    await tab.getByRole("link", { name: "Open the platform’s page" }).waitFor()
    await tab.route("**/account/v1/link", (route) => route.fulfill(failing))
    await tab.getByRole("alert").getByText("Not now, please.").waitFor()
    await tab.unroute("**/account/v1/link")
    await tab.getByRole("button", { name: "Try again" }).click()
    await tab.getByRole("alert").waitFor({ state: "detached" })
  })

  inConsole(
    "an agent that was let in is listed with what it spent, and is refused once that is revoked",
    async (visit) => {
      const { key } = await newKey(visit)
      const token = await letIn(visit, { key, name: "The <b>Agent</b>", scope: "use usage", limit: "0.5" })
      const { chat } = callsWith(visit, token)
      expect((await chat()).status).toBe(200)
      const { grants } = await callsWith(visit, key).read<GivenGrants>("/account/v1/grants")
      expect(Number(grants[0]?.spent_micros_usd)).toBeGreaterThan(0)

      const tab = await visit.signedIn("/grants", { key })
      const row = tab.getByRole("row", { name: /The <b>Agent<\/b>/ })
      await row.getByText("call operations, read usage").waitFor()
      await row.getByText("of $0.50").waitFor()
      await row.getByText(`$${(Number(grants[0]?.spent_micros_usd) / 1e6).toFixed(6).replace(/0{1,4}$/, "")}`).waitFor()
      await row.getByText(/^last billed call on/).waitFor()
      await row.getByRole("meter").waitFor()
      expect(await axe(tab)).toEqual([])
      await tab.setViewportSize(phone)
      expect(await isTooWide(tab)).toBe(false)

      await row.getByRole("button", { name: "Change" }).click()
      const dialog = tab.getByRole("dialog")
      await dialog.waitFor()
      expect(await axe(tab)).toEqual([])
      await dialog.getByRole("textbox", { name: "Daily budget in USD" }).fill("1,5")
      await dialog.getByRole("button", { name: "Save" }).click()
      await dialog.getByText("Use a point for decimals").waitFor()
      await dialog.getByRole("textbox", { name: "Daily budget in USD" }).fill("0.25")
      await dialog.getByRole("checkbox", { name: "Everything" }).uncheck()
      await dialog.getByRole("button", { name: "Save" }).click()
      await dialog.getByText("Choose at least one category or operation.").waitFor()
      await dialog.getByRole("checkbox", { name: "social" }).check()
      await dialog.getByRole("textbox", { name: "Single operations" }).fill("embeddings, rerank")
      await dialog.getByRole("textbox", { name: "Calls above this" }).fill("0.3")
      expect(await axe(tab)).toEqual([])
      await dialog.getByRole("button", { name: "Save" }).click()
      await row.getByText("only social, embeddings, rerank").waitFor()
      await row.getByText("calls above $0.30 need approval").waitFor()
      await row.getByText(/^today .* of \$0\.25$/).waitFor()
      expect((await chat()).status).toBe(403)
      await row.getByRole("button", { name: "Change" }).click()
      await dialog.getByRole("checkbox", { name: "Everything" }).check()
      await dialog.getByRole("button", { name: "Save" }).click()
      await row.getByText("only social").waitFor({ state: "detached" })
      expect((await chat()).status).toBe(200)

      await row.getByRole("button", { name: "Revoke" }).click()
      await dialog.waitFor()
      expect(await axe(tab)).toEqual([])
      await tab.keyboard.press("Escape")
      expect((await chat()).status).toBe(200)
      const revoke = "**/revoke"
      await tab.route(revoke, (route) => route.fulfill(failing))
      await row.getByRole("button", { name: "Revoke" }).click()
      await dialog.getByRole("button", { name: "Revoke" }).click()
      await dialog.getByText("Not now, please.").waitFor()
      await tab.unroute(revoke)
      await dialog.getByRole("button", { name: "Revoke" }).click()
      await row.getByText("ended").waitFor()
      expect((await chat()).status).toBe(401)
    }
  )

  inConsole("a service account is changed without an amount to ask above, and says what it is", async (visit) => {
    const { account, key } = await newKey(visit)
    await fetch(`${visit.address}/admin/v1/accounts/${account}/clients`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Nightly report" })
    })
    const tab = await visit.signedIn("/grants", { key })
    const row = tab.getByRole("row", { name: /Nightly report/ })
    await row.getByText("service account", { exact: true }).waitFor()
    await row.getByRole("button", { name: "Change" }).click()
    const dialog = tab.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Budget in USD", exact: true }).fill("2")
    expect(await dialog.getByText("Calls above this need approval").count()).toBe(0)
    await dialog.getByRole("button", { name: "Save" }).click()
    await row.getByText("of $2.00").waitFor()
    await row.getByRole("button", { name: "Revoke" }).click()
    await dialog.getByText("Only the operator can make another.").waitFor()
  })

  inConsole("a credential that does not speak for the account is told why it sees no grants", async (visit) => {
    const owner = await newKey(visit)
    const tab = await visit.signedIn("/grants", { key: owner.key })
    await tab.getByText("No app has access yet").waitFor()
    await tab.getByText(`${visit.address}/mcp`).waitFor()
    const limited = await newKey(visit, { budget_micros_usd: 1_000_000 })
    const other = await visit.signedIn("/grants", { key: limited.key })
    await other.getByText("A limited key cannot see or change keys and grants").waitFor()
    // An access token signs in as a key does.
    const token = await letIn(visit, { key: owner.key, name: "Agent", scope: "use usage", limit: "1" })
    const third = await visit.signedIn("/grants", { key: token })
    await third.getByText("This credential cannot see apps").waitFor()
    await third.getByText(/scope/).first().waitFor()
  })

  inConsole("a call that needs approval waits in the console, and is made after it", async (visit) => {
    const { key } = await newKey(visit)
    const token = await letIn(visit, { key, name: "The <b>Agent</b>", scope: "use usage", limit: "5" })
    const { grants } = await callsWith(visit, key).read<GivenGrants>("/account/v1/grants")
    await fetch(`${visit.address}/account/v1/grants/${grants[0]?.id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ask_above_micros_usd: 1 })
    })
    const { chat } = callsWith(visit, token)
    expect((await chat()).status).toBe(403)
    const tab = await visit.signedIn("/grants", { key })
    const card = tab.getByRole("region", { name: "Calls waiting for your approval" })
    await card.getByText("The <b>Agent</b>").first().waitFor()
    await tab.getByRole("link", { name: /Apps.*1 call waits for your approval/ }).waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)
    await card.getByRole("button", { name: /^Approve, up to \$/ }).click()
    await tab.getByText("approved, not made yet").waitFor()
    expect((await chat()).status).toBe(200)
    expect((await chat()).status).toBe(403)
    await tab.getByRole("button", { name: "Deny" }).click()
    await tab.getByText("denied", { exact: true }).waitFor()
    await tab.getByText("approved and made").waitFor()
    await tab.getByRole("link", { name: "its call" }).waitFor()
    expect((await chat()).status).toBe(403)
  })
})
