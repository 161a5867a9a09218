import { expect, layer } from "@effect/vitest"
import { Host, TestGateway } from "@tollgate/testing"
import { chromium, hasChromium } from "@tollgate/testing/chromium"
import { axe } from "@tollgate/testing/console/axe"
import { bindings, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Browser, BrowserContextOptions } from "playwright-core"

const gateway = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ sandbox: "all", operations: priced, bindings })),
  Layer.orDie
)

const desktop = { width: 1440, height: 900 }
const phone = { width: 360, height: 740 }

/** One page of each kind. */
const kinds = [
  "",
  "?q=video",
  "/rerank",
  "/chat.completions",
  "/sdks",
  "/rules",
  "/errors",
  "/openapi",
  "/guides",
  "/guides/getting-started",
  "/guides/configuration",
  "/guides/sign-in",
  "/nothing"
]

layer(gateway, { excludeTestServices: true })((it) => {
  const inChromium = (name: string, run: (browser: Browser, docs: string) => Promise<void>) =>
    it.effect.skipIf(!hasChromium)(`in Chromium ${name}`, () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Host
        const browser = yield* chromium
        yield* Effect.promise(() => run(browser, `${baseUrl}/docs`))
      }).pipe(Effect.scoped)
    )

  /** A tab, what went wrong in it, and what it asked of other hosts. */
  const tabOf = async (browser: Browser, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ viewport: desktop, ...options })
    const wrong: Array<string> = []
    const tab = await context.newPage()
    tab.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("404")) wrong.push(message.text())
    })
    tab.on("pageerror", (error) => wrong.push(error.message))
    tab.on("dialog", (dialog) => {
      wrong.push(dialog.message())
      void dialog.dismiss()
    })
    tab.on("request", (request) => {
      const { hostname, protocol } = new URL(request.url())
      if (protocol !== "data:" && hostname !== "127.0.0.1") wrong.push(request.url())
    })
    return { context, tab, wrong }
  }

  inChromium("a reader without scripts finds an operation, and its code in each language", async (browser, docs) => {
    const { tab, wrong } = await tabOf(browser, { javaScriptEnabled: false })
    await tab.goto(docs)
    await tab.getByRole("searchbox", { name: "Search the docs" }).fill("order documents")
    await tab.getByRole("searchbox", { name: "Search the docs" }).press("Enter")
    await tab.getByRole("main").locator('a[href$="/rerank"]').first().click()
    await tab.getByRole("heading", { level: 1, name: "rerank" }).waitFor()
    const shown = async () => (await tab.locator("figure[data-language]:visible").allTextContents()).join("\n")
    expect(await shown()).toMatch(/curl http.*rerank/)
    for (const [language, text] of [
      ["Client", "await tollgate.rerank({"],
      ["Cohere SDK", "await cohere.rerank({"]
    ] as const) {
      await tab.getByRole("radio", { name: language }).check()
      expect(await shown()).toContain(text)
      expect(await tab.locator("figure[data-language]:visible").count()).toBe(1)
    }
    expect(await tab.getByRole("button", { name: "Copy" }).count()).toBe(0)
    expect(wrong).toEqual([])
  })

  inChromium("a phone shows the menu without scripts, and no page is too wide", async (browser, docs) => {
    const { tab, wrong } = await tabOf(browser, { javaScriptEnabled: false, viewport: phone })
    await tab.goto(`${docs}/rerank`)
    expect(await tab.getByRole("navigation", { name: "Pages" }).isVisible()).toBe(false)
    await tab.getByRole("button", { name: "Menu" }).click()
    await tab.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "task.get" }).click()
    await tab.getByRole("heading", { level: 1, name: "task.get" }).waitFor()
    expect(await tab.getByRole("navigation", { name: "Pages" }).isVisible()).toBe(false)
    for (const kind of kinds) {
      await tab.goto(`${docs}${kind}`)
      expect([kind, await tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)]).toEqual([kind, false])
    }
    expect(wrong).toEqual([])
  })

  inChromium("code is copied, and the chosen language holds on the next page", async (browser, docs) => {
    const { context, tab, wrong } = await tabOf(browser)
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await tab.goto(`${docs}/usage`)
    // The button says it for two seconds, which a slow machine may miss: here it keeps saying it.
    await tab.evaluate(() => Object.assign(window, { setTimeout: () => 0 }))
    await tab.getByRole("radio", { name: "Client" }).check()
    await tab.getByRole("button", { name: "Copy" }).first().click()
    await tab.getByRole("button", { name: "Copied" }).waitFor()
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toMatch(/^import \{ createClient \}/)
    await tab.goto(`${docs}/task.get`)
    expect(await tab.getByRole("radio", { name: "Client" }).isChecked()).toBe(true)
    expect(wrong).toEqual([])
  })

  inChromium("what a visitor types is never run", async (browser, docs) => {
    const { tab, wrong } = await tabOf(browser)
    await tab.goto(`${docs}?q=${encodeURIComponent(`"><img src=x onerror=alert(1)><script>alert(2)</script>`)}`)
    await tab.getByRole("heading", { level: 1 }).waitFor()
    expect(wrong).toEqual([])
  })

  inChromium("axe finds nothing to complain about, in either theme", async (browser, docs) => {
    const { tab, wrong } = await tabOf(browser)
    for (const [viewport, pages] of [
      [desktop, ["", "?q=video", "/chat.completions", "/sdks", "/errors", "/guides", "/guides/scale"]],
      [phone, ["/chat.completions", "/rules", "/guides/operations"]]
    ] as const) {
      await tab.setViewportSize(viewport)
      for (const kind of pages) {
        await tab.goto(`${docs}${kind}`)
        expect([kind, await axe(tab)]).toEqual([kind, []])
      }
    }
    expect(wrong).toEqual([])
  })
})
