import { expect } from "@effect/vitest"
import type { OwnKeys } from "@tollgate/contract/account/Key"
import { axe, type ConsoleVisit, consoleTests, signIn } from "@tollgate/testing/console/consolePage"
import { adminToken, callsWith, newKey, withAdmin } from "@tollgate/testing/console/newKey"
import { playground } from "@tollgate/testing/console/playground"
import type { Page } from "playwright-core"

const heading = (tab: Page, name: string) => tab.getByRole("heading", { level: 1, name })

/** One more tab of the same browser. */
const another = async (tab: Page, { address }: ConsoleVisit, path: string): Promise<Page> => {
  const other = await tab.context().newPage()
  await other.goto(`${address}${path}`)
  return other
}

/** What a script in the page can read. */
const readable = (tab: Page) =>
  tab.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]))

const signOut = async (tab: Page): Promise<void> => {
  await tab.getByRole("button", { name: "Signed in" }).click()
  await tab.getByRole("button", { name: "Sign out" }).click()
}

const asOperator = async (tab: Page): Promise<void> => {
  await tab.getByLabel("Admin token").fill(adminToken)
  await tab.getByLabel("Admin token").press("Enter")
  await tab.getByRole("navigation", { name: "Operator" }).waitFor()
}

const allow = async (tab: Page, key: string): Promise<void> => {
  await tab.getByRole("button", { name: "Sign in with OAuth" }).click()
  await tab.waitForURL("**/oauth/interaction/*")
  // The pages of the authorization server may know the person already.
  const approve = tab.getByRole("button", { name: "Approve" })
  const field = tab.getByLabel("API key")
  await approve.or(field).first().waitFor()
  if (await field.isVisible()) {
    await field.fill(key)
    await tab.getByRole("button", { name: "Sign in", exact: true }).click()
  }
  await approve.click()
  await heading(tab, "Limits").waitFor()
}

consoleTests(withAdmin, (inConsole) => {
  inConsole("who signs in with a key is signed in in all tabs, over reloads, until one signs out", async (visit) => {
    const { key } = await newKey(visit)
    const one = await visit.signedIn("/limits", { key })
    const two = await another(one, visit, "/grants")
    await heading(two, "Apps").waitFor()
    for (const tab of [one, two]) {
      await tab.reload()
      await tab.getByRole("button", { name: "Signed in: visitor" }).waitFor()
      expect(await readable(tab)).not.toContain("tg_")
    }
    const [cookie] = await one.context().cookies()
    expect([cookie?.httpOnly, cookie?.sameSite]).toEqual([true, "Strict"])
    await signOut(one)
    for (const tab of [one, two]) await heading(tab, "Sign in").waitFor()
    await expect.poll(() => one.context().cookies()).toEqual([])
    await two.reload()
    await two.getByLabel("API key").waitFor()
    // A sign-in reaches the other tab too.
    await signIn(two, key)
    for (const tab of [one, two]) await tab.getByRole("button", { name: "Signed in: visitor" }).waitFor()
  })

  inConsole("a session that ended elsewhere leads to the sign-in at the next call", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/limits", { key })
    await tab.context().clearCookies()
    await tab.getByText("You are signed out.").waitFor()
    await signIn(tab, key)
    await heading(tab, "Limits").waitFor()
  })

  inConsole("a session that ends in the middle of a form loses nothing, and nothing is sent twice", async (visit) => {
    const { key } = await newKey(visit)
    const created = async (label: string) => {
      const { keys } = await callsWith(visit, key).read<OwnKeys>("/account/v1/keys")
      return keys.filter((one) => one.label === label).length
    }
    const tab = await visit.signedIn("/keys", { key })
    const again = tab.getByRole("dialog", { name: "Sign in again" })
    const form = tab.getByRole("dialog", { name: "Create a key" })
    const fill = async (label: string) => {
      await tab.getByRole("button", { name: "Create a key" }).click()
      await form.getByLabel("Label").fill(label)
      await tab.context().clearCookies()
    }
    await fill("here")
    await again.getByText("You are signed out.").waitFor()
    await tab.keyboard.press("Escape")
    await tab.keyboard.press("Escape")
    expect(await axe(tab)).toEqual([])
    await signIn(tab, key)
    await again.waitFor({ state: "hidden" })
    expect(await form.getByLabel("Label").inputValue()).toBe("here")
    await form.getByRole("button", { name: "Create the key" }).click()
    await tab.getByText("The new key here").waitFor()
    // The change itself finds that the session is over, and another tab brings the next one.
    await fill("elsewhere")
    await form.getByRole("button", { name: "Create the key" }).click()
    await again.waitFor()
    const opened = tab.context().waitForEvent("page")
    await again.getByRole("link", { name: "in another tab" }).click()
    await signIn(await opened, key)
    await again.waitFor({ state: "hidden" })
    expect([await form.getByLabel("Label").inputValue(), await created("elsewhere")]).toEqual(["elsewhere", 0])
    await form.getByRole("button", { name: "Create the key" }).click()
    await tab.getByText("The new key elsewhere").waitFor()
    expect([await created("here"), await created("elsewhere")]).toEqual([1, 1])
    // What one account typed is not for another.
    await fill("not mine")
    await again.waitFor()
    await signIn(tab, visit.key)
    await tab.getByRole("button", { name: "Signed in: default" }).waitFor()
    expect(await form.isVisible()).toBe(false)
  })

  inConsole("another account that signs in is shown in the other tab too, never a mixture", async (visit) => {
    const { key } = await newKey(visit)
    const one = await visit.signedIn("/limits", { key })
    const two = await another(one, visit, "/limits")
    await two.getByRole("button", { name: "Signed in: visitor" }).waitFor()
    // A page that has not heard of the other session gets nothing of it.
    await two.evaluate(() => addEventListener("storage", (event) => event.stopImmediatePropagation(), true))
    const id = await one.evaluate(async (key) => {
      const headers = { authorization: `Bearer ${key}`, "x-tollgate-console": "new" }
      const answer = await fetch("/console/account", { method: "POST", headers })
      return ((await answer.json()) as { readonly id: string }).id
    }, visit.key)
    await two.getByRole("dialog", { name: "Sign in again" }).waitFor()
    // One that hears of it begins anew.
    await two.evaluate((id) => localStorage.setItem("tollgate.session", `${id} key`), id)
    await one.getByRole("button", { name: "Signed in: default" }).waitFor()
  })

  inConsole("the operator is signed in in all tabs, apart from the account, until one leaves", async (visit) => {
    const one = await visit.open("/operator")
    await asOperator(one)
    await one.getByRole("button", { name: "Signed in: Operator" }).waitFor()
    const two = await another(one, visit, "/operator/upstreams")
    await heading(two, "Upstreams").waitFor()
    for (const tab of [one, two]) {
      await tab.reload()
      await tab.getByRole("navigation", { name: "Operator" }).waitFor()
      expect(await readable(tab)).not.toContain(adminToken)
    }
    // It is nobody on the account's side.
    const three = await another(one, visit, "/limits")
    await three.getByLabel("API key").waitFor()
    await two.getByRole("button", { name: "Signed in: Operator" }).click()
    await two.getByRole("button", { name: "Sign out" }).click()
    for (const tab of [one, two]) await tab.getByLabel("Admin token").waitFor()
    await asOperator(one)
    await two.getByRole("navigation", { name: "Operator" }).waitFor()
    // The next call finds that the session is over.
    await one.context().clearCookies()
    await one.reload()
    await one.getByText("You are signed out.").waitFor()
  })

  inConsole("OAuth keeps no token in the page, and a second sign-in adds no grant", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.open("/limits")
    const tokens: Array<string> = []
    // The answer is read before the page gets it: a browser forgets the answers of a page that was left.
    await tab.route("**/oauth/token", async (route) => {
      const answer = await route.fetch()
      tokens.push(...Object.values((await answer.json()) as object).map(String))
      await route.fulfill({ response: answer })
    })
    const grants = async () => {
      const answer = await fetch(`${visit.address}/account/v1/grants`, { headers: { authorization: `Bearer ${key}` } })
      return ((await answer.json()) as { readonly grants: ReadonlyArray<object> }).grants.length
    }
    for (let time = 0; time < 2; time++) {
      await allow(tab, key)
      const kept = await readable(tab)
      const secrets = tokens.splice(0).filter((value) => value.length > 30)
      expect(secrets.length).toBeGreaterThan(1)
      for (const secret of secrets) {
        expect(kept).not.toContain(secret)
        const headers = { authorization: `Bearer ${secret}` }
        expect((await fetch(`${visit.address}/account/v1`, { headers })).status).toBe(401)
      }
      await tab.reload()
      await tab.getByRole("button", { name: "Signed in: visitor" }).waitFor()
      expect(await grants()).toBe(1)
      await signOut(tab)
      await heading(tab, "Sign in").waitFor()
      await tab.goto(`${visit.address}/limits`)
    }
  })

  inConsole("a reload in the middle of a run stays signed in, and the call is in the log", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/playground/chat.completions", { key })
    const { run } = playground(tab)
    await tab.getByLabel("Scenario").selectOption({ label: "A stream falls silent" })
    const sent = tab.waitForRequest((request) => request.url().endsWith("/v1/chat/completions"))
    await run()
    await tab
      .locator("[data-role=model]")
      .getByText(/^Model: .{3}/)
      .waitFor()
    const headers = await (await sent).allHeaders()
    expect([headers["authorization"], headers["x-tollgate-console"]]).toEqual([undefined, expect.any(String)])
    await tab.reload()
    await tab.getByRole("button", { name: "Signed in: visitor" }).waitFor()
    await tab.getByRole("link", { name: "Calls", exact: true }).click()
    await heading(tab, "Calls").waitFor()
    await tab.getByRole("row").filter({ hasText: "chat.completions" }).waitFor()
  })
})
