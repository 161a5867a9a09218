import { expect } from "@effect/vitest"
import { axe, consoleTests, phone, signIn } from "@tollgate/testing/console/consolePage"
import type { Page } from "playwright-core"

const token = "an-admin-token-of-the-test"

const pathOf = (tab: Page): string => new URL(tab.url()).pathname

const heading = (tab: Page, name: string) => tab.getByRole("heading", { level: 1, name })

const administer = async <A>(address: string, path: string, body?: object): Promise<A> => {
  const answer = await fetch(`${address}/admin/v1${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  return (await answer.json()) as A
}

interface Accounts {
  readonly accounts: ReadonlyArray<{ readonly id: string }>
}

/** Another key of the account. */
const newKey = async (address: string): Promise<{ readonly id: string; readonly key: string }> => {
  const { accounts } = await administer<Accounts>(address, "/accounts")
  return administer(address, `/accounts/${accounts[0]?.id}/keys`, { label: "second" })
}

const useDemo = (tab: Page) => tab.getByRole("button", { name: "Use the demo key" }).click()

/** What the tab keeps over a reload. */
const keptIn = (tab: Page) => tab.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))

consoleTests({ env: { TOLLGATE_ADMIN_TOKEN: token } }, (inConsole) => {
  inConsole("a wrong key is refused with words, and the page stays", async ({ key, open }) => {
    const tab = await open("/calls")
    for (const wrong of [`${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`, "something", "ключ", "a b"]) {
      await signIn(tab, wrong)
      await tab.getByRole("alert").getByText("This key does not work here.").waitFor({ state: "attached" })
      expect(await tab.getByLabel("API key").getAttribute("aria-invalid")).toBe("true")
    }
    await signIn(tab, "")
    await tab.getByRole("alert").getByText("Paste a key.").waitFor({ state: "attached" })
    expect(pathOf(tab)).toBe("/sign-in")
    // Spaces come along when a key is pasted.
    await signIn(tab, ` ${key} `)
    await heading(tab, "Calls").waitFor()
    expect(await keptIn(tab)).not.toContain("tg_")
  })

  inConsole(
    "the demo key is used with one click, and a reload stays signed in without keeping it",
    async ({ key, open }) => {
      const tab = await open("/limits")
      await useDemo(tab)
      await heading(tab, "Limits").waitFor()
      expect(await keptIn(tab)).not.toContain(key)
      await tab.reload()
      await heading(tab, "Limits").waitFor()
      await tab.getByRole("button", { name: "Signed in" }).click()
      await tab.getByText("Signed in with the demo key.").waitFor()
      await tab.getByRole("button", { name: "Sign out" }).click()
      await heading(tab, "Sign in").waitFor()
      await tab.reload()
      await tab.getByRole("button", { name: "Use the demo key" }).waitFor()
      expect(pathOf(tab)).toBe("/sign-in")
    }
  )

  inConsole(
    "a sign-in leads back to the page that was asked for, and never to another site",
    async ({ address, open }) => {
      const tab = await open(`/sign-in?to=${encodeURIComponent("/calls?status=4xx")}`)
      await useDemo(tab)
      await heading(tab, "Calls").waitFor()
      expect(tab.url()).toBe(`${address}/calls?status=4xx`)
      for (const to of [
        "//evil.example/calls",
        "/\\evil.example",
        "/\t/evil.example",
        "https://evil.example",
        "javascript:alert(1)"
      ]) {
        await tab.goto(`${address}/sign-in?to=${encodeURIComponent(to)}`)
        await heading(tab, "Overview").waitFor()
        expect([to, tab.url()]).toEqual([to, `${address}/`])
      }
    }
  )

  inConsole("a key that is revoked ends the session, and the page says why", async ({ address, signedIn }) => {
    const { id, key } = await newKey(address)
    const tab = await signedIn("/grants", { key })
    await heading(tab, "Apps").waitFor()
    await administer(address, `/keys/${id}/revoke`, {})
    // The page asks for approvals again and again, so that nobody has to click.
    await tab.getByText("or its key was revoked").waitFor()
    expect(pathOf(tab)).toBe("/grants")
    await tab.getByRole("button", { name: "Sign out" }).click()
    await tab.waitForURL("**/sign-in**")
  })

  inConsole("a gateway that cannot be reached is not called a wrong key", async ({ key, open }) => {
    const tab = await open("/sign-in")
    await tab.getByLabel("API key").waitFor()
    await tab.context().setOffline(true)
    await signIn(tab, key)
    await tab.getByRole("alert").getByText("The gateway cannot be reached.").waitFor({ state: "attached" })
    await tab.context().setOffline(false)
    await tab.getByRole("button", { name: "Sign in", exact: true }).click()
    await heading(tab, "Overview").waitFor()
  })

  inConsole(
    "a person signs in with OAuth, sets a limit, sees the account, and signs out",
    async ({ key, open, wrong }) => {
      const tab = await open("/limits")
      await tab.getByRole("button", { name: "Sign in with OAuth" }).click()
      await tab.waitForURL("**/oauth/interaction/*")
      await tab.getByLabel("API key").fill(key)
      await tab.getByRole("button", { name: "Sign in", exact: true }).click()
      await tab.getByText("This is the console of this gateway itself.").waitFor()
      await tab.getByRole("textbox", { name: "Budget in USD", exact: true }).fill("0.75")
      await tab.getByRole("button", { name: "Approve" }).click()
      await heading(tab, "Limits").waitFor()
      expect([pathOf(tab), new URL(tab.url()).search]).toEqual(["/limits", ""])
      await tab.reload()
      await heading(tab, "Limits").waitFor()
      await tab.getByRole("button", { name: "Signed in: default" }).click()
      await tab.getByText("the whole account").waitFor()
      await tab.getByText("$0.75").first().waitFor()
      // Its limits have the names that the person saw when setting them.
      await tab.getByRole("link", { name: "Overview" }).click()
      await tab.getByRole("meter", { name: "This console’s budget", exact: true }).waitFor()
      await tab.getByRole("meter", { name: "This console’s budget for the day" }).waitFor()
      await tab.getByRole("link", { name: "Apps" }).click()
      await heading(tab, "Apps").waitFor()
      await tab.locator("#main").getByText("Tollgate console").first().waitFor()

      const ended = tab.waitForResponse((answer) => answer.request().method() === "DELETE")
      await tab.getByRole("button", { name: "Signed in" }).click()
      await tab.getByRole("button", { name: "Sign out" }).click()
      expect((await ended).status()).toBe(200)
      await heading(tab, "Sign in").waitFor()
      expect((await tab.context().cookies()).map(({ name }) => name)).not.toContain("tollgate_console")
      expect(await keptIn(tab)).not.toContain("tollgate.")
      expect(wrong).toEqual([])
    }
  )

  inConsole(
    "a person who denies the access is told so, and a stranger's answer signs nobody in",
    async ({ address, open }) => {
      const tab = await open("/sign-in")
      await tab.getByRole("button", { name: "Sign in with OAuth" }).click()
      await tab.getByRole("button", { name: "Go back to" }).click()
      await tab.getByText("You denied access, so you are not signed in.").waitFor()
      expect([pathOf(tab), new URL(tab.url()).search]).toEqual(["/sign-in", ""])
      const forged = "/sign-in?code=abc&state=def&iss=x"
      await tab.goto(`${address}${forged}`)
      await tab.getByText("This tab did not start this sign-in").waitFor()
      expect([pathOf(tab), new URL(tab.url()).search]).toEqual(["/sign-in", ""])
      // Nor does such a link sign anybody out.
      await useDemo(tab)
      await heading(tab, "Overview").waitFor()
      await tab.goto(`${address}${forged}`)
      await heading(tab, "Overview").waitFor()
    }
  )

  inConsole("axe finds nothing to complain about, and a phone shows all of it", async ({ open }) => {
    const tab = await open("/sign-in")
    await tab.getByLabel("API key").waitFor()
    await signIn(tab, "something")
    await tab.getByRole("alert").getByText("This key does not work").waitFor({ state: "attached" })
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)).toBe(false)
    expect(await axe(tab)).toEqual([])
  })
})
