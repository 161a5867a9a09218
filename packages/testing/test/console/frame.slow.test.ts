import { expect } from "@effect/vitest"
import { axe, consoleTests, desktop, phone } from "@tollgate/testing/console/consolePage"

consoleTests({}, (inConsole) => {
  inConsole(
    "the address that the program prints leads to the sign-in page, and a key into the console",
    async ({ signedIn, open }) => {
      const stranger = await open("/")
      await stranger.waitForURL("**/sign-in?to=%2F")
      await stranger.getByRole("heading", { level: 1 }).waitFor()
      const tab = await signedIn("/calls")
      await tab.getByRole("heading", { level: 1, name: "Calls" }).waitFor()
      expect(new URL(tab.url()).pathname).toBe("/calls")
    }
  )

  inConsole("the pages are reached by keyboard, and the back button returns", async ({ signedIn }) => {
    const tab = await signedIn("/")
    await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await tab.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Limits" }).press("Enter")
    await tab.getByRole("heading", { level: 1, name: "Limits" }).waitFor()
    // A screen reader says the new page, and Tab goes on from there.
    await expect.poll(() => tab.evaluate(() => document.activeElement?.textContent)).toBe("Limits")
    await expect.poll(() => tab.title()).toBe("Limits · Tollgate")
    await tab.goBack()
    await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await tab.goForward()
    await tab.getByRole("heading", { level: 1, name: "Limits" }).waitFor()
  })

  inConsole("a reload stays signed in, at the same page", async ({ signedIn }) => {
    const tab = await signedIn("/limits")
    await tab.reload()
    await tab.getByText("Requests per minute", { exact: true }).waitFor()
    expect(new URL(tab.url()).pathname).toBe("/limits")
  })

  inConsole(
    "a model is found by name, and an operation of it leads to a call that is filled in",
    async ({ signedIn }) => {
      for (const viewport of [desktop, phone]) {
        const tab = await signedIn("/models", { viewport })
        await tab.getByRole("searchbox", { name: "Search models" }).fill("video")
        await tab.getByRole("rowheader", { name: /sandbox-video/ }).waitFor()
        expect(await tab.getByRole("rowheader").count()).toBe(1)
        await tab.getByRole("searchbox", { name: "Search models" }).fill("chat.comp")
        expect(await axe(tab)).toEqual([])
        await tab
          .getByRole("rowheader", { name: /sandbox/ })
          .getByText(/operations/)
          .first()
          .click()
        await tab.getByRole("link", { name: "messages", exact: true }).click()
        await tab.getByText("A link filled this in").waitFor()
        expect(await tab.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox")
      }
    }
  )

  inConsole("an unknown page says so", async ({ signedIn }) => {
    const tab = await signedIn("/calls/a/b/c")
    await tab.getByRole("heading", { level: 1, name: "Page not found" }).waitFor()
    await tab.getByRole("link", { name: "Go to the overview" }).click()
    await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
  })

  inConsole("pages come by themselves after an outage, also one that was not loaded yet", async ({ signedIn }) => {
    const tab = await signedIn("/limits")
    await tab.getByText("Requests per minute", { exact: true }).waitFor()
    await tab.context().setOffline(true)
    const unreachable = tab.getByRole("alert").getByText("The gateway cannot be reached")
    await unreachable.waitFor()
    await tab.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Connections" }).click()
    await tab.waitForURL("**/links")
    await tab.getByRole("heading", { level: 1, name: "Limits" }).waitFor({ state: "detached" })
    await unreachable.waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.context().setOffline(false)
    await tab.getByRole("heading", { level: 1, name: "Connections" }).waitFor()
    await tab.getByText("not linked", { exact: true }).waitFor()
    await unreachable.waitFor({ state: "detached" })
    // With its styles, and without a new sign-in.
    const sheets = () =>
      [...document.querySelectorAll("link[rel=stylesheet]")].map((link) => Reflect.get(link, "sheet"))
    await expect.poll(() => tab.evaluate(sheets)).not.toContain(null)

    // One that loads once comes back too.
    await tab.context().setOffline(true)
    await tab.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Limits" }).click()
    await unreachable.waitFor()
    await tab.context().setOffline(false)
    await tab.getByText("Requests per minute", { exact: true }).waitFor()
    await unreachable.waitFor({ state: "detached" })
  })

  inConsole("a phone has the pages in a menu, which a choice closes", async ({ signedIn }) => {
    const tab = await signedIn("/", { viewport: phone })
    const menu = tab.getByRole("navigation", { name: "Pages" })
    expect(await menu.isVisible()).toBe(false)
    await tab.getByRole("button", { name: "Menu" }).click()
    await menu.getByRole("link", { name: "Tasks" }).click()
    await tab.getByRole("heading", { level: 1, name: "Tasks" }).waitFor()
    await menu.waitFor({ state: "hidden" })
    expect(await tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)).toBe(false)
  })

  inConsole("the theme is chosen by keyboard, and a reload keeps it", async ({ signedIn, open }) => {
    const tab = await signedIn("/limits")
    const background = () => tab.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor)
    const light = await background()
    await tab.getByRole("button", { name: "Theme: System" }).press("Enter")
    await tab.getByRole("radio", { name: "System" }).press("ArrowUp")
    await tab.getByRole("radio", { name: "Dark", checked: true }).waitFor()
    await expect.poll(background).not.toBe(light)
    await tab.keyboard.press("Escape")
    await tab.getByRole("radio", { name: "Dark" }).waitFor({ state: "hidden" })
    await tab.reload()
    await expect.poll(background).not.toBe(light)
    const other = await open("/sign-in")
    await other.getByRole("button", { name: "Theme: System" }).waitFor()
  })

  inConsole("the bar at the top says whose account it is, and its balance", async ({ signedIn }) => {
    const tab = await signedIn("/limits", { viewport: phone })
    await tab.getByRole("banner").getByText("$5.00").first().waitFor()
    await tab.getByRole("button", { name: "Signed in: default" }).click()
    for (const fact of ["demo", "the calls of this key", "Signed in with an API key"]) {
      await tab.getByText(fact).first().waitFor()
    }
    expect(await axe(tab)).toEqual([])
    await tab.getByRole("button", { name: "Sign out" }).click()
    await tab.getByRole("heading", { level: 1, name: "Sign in" }).waitFor()
  })

  inConsole("the page has the whole policy, and asks nothing of other sites", async ({ address, open }) => {
    const tab = await open("/sign-in")
    await tab.getByLabel("API key").waitFor()
    const { headers } = await fetch(`${address}/calls`)
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: https:; " +
        "media-src 'self' https:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin")
  })

  inConsole("no text becomes markup, and no other script or style runs", async ({ open, wrong }) => {
    const tab = await open("/sign-in")
    await tab.getByRole("heading", { level: 1 }).waitFor()
    const refused = await tab.locator("body").evaluate((body) => {
      try {
        body.innerHTML = "x"
        return "allowed"
      } catch (error) {
        return String(error)
      }
    })
    expect(refused).toContain("TrustedHTML")
    wrong.length = 0
  })

  inConsole("axe finds nothing to complain about in the frame", async ({ open, signedIn }) => {
    const stranger = await open("/sign-in")
    await stranger.getByRole("heading", { level: 1 }).waitFor()
    expect(await axe(stranger)).toEqual([])
    const tab = await signedIn("/limits")
    await tab.getByRole("heading", { level: 1, name: "Limits" }).waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    await tab.getByRole("button", { name: "Menu" }).click()
    expect(await axe(tab)).toEqual([])
  })
})
