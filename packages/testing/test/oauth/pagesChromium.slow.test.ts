import { expect, layer } from "@effect/vitest"
import { chromium, hasChromium } from "@tollgate/testing/chromium"
import { legibility, site, tabOrder } from "@tollgate/testing/oauth/pagesInChromium"
import { World } from "@tollgate/testing/oauth/pagesWorld"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"

layer(World.layer(), { excludeTestServices: true })((it) => {
  const inChromium = (name: string, run: (world: World["Service"], browser: Browser, app: string) => Promise<void>) =>
    it.effect.skipIf(!hasChromium)(`in Chromium ${name}`, () =>
      Effect.gen(function* () {
        const world = yield* World
        const browser = yield* chromium
        const app = yield* site("<title>The app</title>")
        yield* Effect.promise(() => run(world, browser, app))
      }).pipe(Effect.scoped)
    )

  /** A tab without scripts, and what its console said of the policy of our pages. */
  const tabOf = async (browser: Browser, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ javaScriptEnabled: false, ...options })
    await context.route(
      ({ hostname }) => hostname !== "127.0.0.1",
      (route) => route.abort()
    )
    const tab = await context.newPage()
    const refused: Array<string> = []
    tab.on("console", (message) => void (/content security/i.test(message.text()) && refused.push(message.text())))
    return { tab, refused }
  }

  const begin = async (world: World["Service"], tab: Page, app: string) => {
    const redirect_uri = `${app}/callback`
    const clientId = await world.register({ client_name: "The App", redirect_uris: [redirect_uri] })
    await tab.goto(world.authorizeUrl(clientId, { redirect_uri }))
  }

  /** The page sets the focus after it has loaded, with its next picture: keys that are pressed earlier reach no field. */
  const typeWhereFocused = async (tab: Page, key: string) => {
    await tab.getByLabel("API key").and(tab.locator(":focus")).waitFor()
    await tab.keyboard.type(key)
    await tab.keyboard.press("Enter")
  }

  inChromium("a person signs in, sets a limit and returns to the app, without scripts", async (world, browser, app) => {
    const { account, key } = await world.newAccount()
    const { refused, tab } = await tabOf(browser)
    await begin(world, tab, app)
    await tab.getByLabel("API key").fill("tg_wrong")
    await tab.getByLabel("API key").press("Enter")
    expect(await tab.getByRole("alert").textContent()).toContain("This key is not valid")
    await tab.getByLabel("API key").fill(key)
    await tab.getByRole("button", { name: "Sign in", exact: true }).click()
    await tab.getByRole("heading", { name: "Give The App access to your account?" }).waitFor()
    await tab.getByRole("textbox", { name: "Budget in USD", exact: true }).fill("0.75")
    await tab.getByRole("button", { name: "Approve" }).click()
    await tab.waitForURL(`${app}/callback?**`)
    expect(new URL(tab.url()).searchParams.get("code")).not.toBeNull()
    expect(await world.run(world.grants.list(account))).toMatchObject([{ limit: 750_000n }])
    expect(refused).toEqual([])

    await tab.goto(`${world.listening}/account`)
    await tab.getByRole("button", { name: "Sign out" }).click()
    await tab.getByLabel("API key").waitFor()
  })

  inChromium("a person signs in by a link in another tab, and denies", async (world, browser, app) => {
    const { account } = await world.newAccount()
    const { refused, tab } = await tabOf(browser)
    await begin(world, tab, app)
    const { secret } = await world.run(world.signIn.createLink(account))
    const other = await tab.context().newPage()
    await other.goto(`${world.listening}/account/sign-in/${Redacted.value(secret)}`)
    await other.getByRole("button", { name: "Sign in" }).click()
    await other.getByRole("heading", { name: "You are signed in" }).waitFor()
    await tab.getByRole("link", { name: "continue here" }).click()
    await tab.getByRole("button", { name: "Deny" }).click()
    await tab.waitForURL(`${app}/callback?**`)
    expect(new URL(tab.url()).searchParams.get("error")).toBe("access_denied")
    expect(refused).toEqual([])
  })

  inChromium("a double click on Approve makes one grant", async (world, browser, app) => {
    const { account, key } = await world.newAccount()
    const { tab } = await tabOf(browser)
    await begin(world, tab, app)
    await tab.getByLabel("API key").fill(key)
    await tab.getByLabel("API key").press("Enter")
    await tab.getByRole("button", { name: "Approve" }).dblclick()
    // The second click replaces the navigation of the first, so that waiting for a navigation could fail.
    await expect.poll(() => tab.url()).toContain(`${app}/callback?`)
    expect(new URL(tab.url()).searchParams.has("code")).toBe(true)
    expect(await world.run(world.grants.list(account))).toHaveLength(1)
  })

  inChromium("no other site can show the pages in a frame", async (world, browser, app) => {
    const { tab } = await tabOf(browser, { javaScriptEnabled: true })
    await begin(world, tab, app)
    const framed = await tab.context().newPage()
    await framed.goto(app)
    const urls = await framed.evaluate(
      (urls) =>
        Promise.all(
          urls.map(
            (src) =>
              new Promise<string>((resolve) => {
                const frame = document.createElement("iframe")
                frame.onload = () => resolve(src)
                frame.src = src
                document.body.append(frame)
              })
          )
        ),
      [tab.url(), `${world.listening}/account`]
    )
    expect(urls).toHaveLength(2)
    const shown = await Promise.all(
      framed
        .frames()
        .slice(1)
        .map((frame) => frame.locator("form").count())
    )
    expect(shown).toEqual([0, 0])
  })

  const sizes = [1024, 360].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ width, scheme })))
  const readable = { faint: [], isTooWide: false }

  inChromium(
    "the pages can be read and used by keyboard, light and dark, wide and narrow",
    async (world, browser, app) => {
      const { key } = await world.newAccount(`An account with ${"a long name ".repeat(5)}`)
      for (const { scheme, width } of sizes) {
        const { tab } = await tabOf(browser, { colorScheme: scheme, viewport: { width, height: 700 } })
        const isReadable = async () => expect(await legibility(tab), `${scheme} ${width}`).toEqual(readable)
        await begin(world, tab, `${app}/${"a-long-path/".repeat(12)}`)
        await isReadable()
        await typeWhereFocused(tab, "tg_wrong")
        await tab.getByRole("alert").waitFor()
        await isReadable()
        await typeWhereFocused(tab, key)
        await tab.getByRole("button", { name: "Approve" }).waitFor()
        await isReadable()
        expect(await tabOrder(tab, 9)).toEqual([
          ["Sign out", true],
          ["limited", true],
          ["amount", true],
          ["day", true],
          ["ask", true],
          ["days", true],
          ["Update", true],
          ["Approve", true],
          ["Deny", true]
        ])
        const limit = tab.getByRole("textbox", { name: "Budget in USD", exact: true })
        await limit.fill("none")
        await limit.press("Enter")
        await tab.getByRole("alert").waitFor()
        await isReadable()
        await tab.getByRole("radio", { name: "No limit" }).check()
        await tab.getByRole("button", { name: "Approve" }).press("Enter")
        await tab.waitForURL(`${app}/**/callback?**`)
        await tab.goto(`${world.listening}/account`)
        await isReadable()
      }
    }
  )
})
