import { expect, layer } from "@effect/vitest"
import { chromium, hasChromium } from "@tollgate/testing/chromium"
import { connected, linkIn } from "@tollgate/testing/oauth/approving"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { legibility } from "@tollgate/testing/oauth/pagesInChromium"
import { key } from "@tollgate/testing/TestGateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const gateway = Layer.provideMerge(OAuthGateway.served, OAuthGateway.layer())

const looks = [1024, 360].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme }))
)

layer(gateway, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
  it.effect.skipIf(!hasChromium)(
    "in Chromium a long request is read to its end by keyboard, and looks longer until then",
    () =>
      Effect.gen(function* () {
        const { ask } = yield* connected
        const browser = yield* chromium
        const link = linkIn((yield* ask(`${"a river and its shore, ".repeat(150)}the end`)).text)
        yield* Effect.promise(async () => {
          for (const { colorScheme, width } of looks) {
            const look = `${colorScheme} ${width}`
            const context = await browser.newContext({
              colorScheme,
              viewport: { width, height: 1000 },
              javaScriptEnabled: false
            })
            const tab = await context.newPage()
            await tab.goto(link)
            await tab.getByLabel("API key").fill(key)
            await tab.getByLabel("API key").press("Enter")
            const request = tab.getByRole("region", { name: "Request to rerank" })
            // The end of a long text is there, and all of it can be opened without a script.
            const long = request.locator("summary").first()
            expect(await long.innerText(), look).toMatch(/a river and its shore.* … .*the end/)
            await long.click()
            await request.locator("details[open] > div").waitFor()
            expect(await legibility(tab), look).toEqual({ faint: [], isTooWide: false })

            await tab.getByRole("button", { name: "Sign out" }).focus()
            await tab.keyboard.press("Tab")
            await request.and(tab.locator(":focus-visible")).waitFor()
            const isAtEnd = () =>
              request.evaluate((box) => box.scrollTop > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 1)
            expect(await isAtEnd(), look).toBe(false)

            // Without the text only the shadow is left.
            await request.evaluate(({ style }) => void Object.assign(style, { color: "transparent", outline: "0" }))
            const bottom = async () => {
              const { height = 0, width = 0, x = 0, y = 0 } = (await request.boundingBox()) ?? {}
              return tab.screenshot({ clip: { x, y: y + height - 12, width, height: 8 } })
            }
            const more = await bottom()
            await tab.keyboard.press("End")
            await expect.poll(isAtEnd, { message: look }).toBe(true)
            expect((await bottom()).equals(more), look).toBe(false)
            await context.close()
          }
        })
      }).pipe(Effect.scoped)
  )

  it.effect.skipIf(!hasChromium)("in Chromium the operations to choose from are shown to who chooses some", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const browser = yield* chromium
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl, { client_name: "Agent" })
        const context = await browser.newContext({ javaScriptEnabled: false })
        const tab = await context.newPage()
        await tab.goto((await client.address("v".repeat(43))).href)
        await tab.getByLabel("API key").fill(key)
        await tab.getByLabel("API key").press("Enter")
        const rerank = tab.getByRole("checkbox", { name: /^rerank/ })
        await tab.getByRole("radio", { name: /^Everything/ }).waitFor()
        expect(await rerank.count()).toBe(0)
        await tab.getByRole("radio", { name: /^Only what I choose/ }).check()
        await rerank.check()
        await tab.getByRole("button", { name: "Update" }).click()
        await tab.getByRole("checkbox", { name: /^rerank/, checked: true }).waitFor()
        expect(await legibility(tab)).toEqual({ faint: [], isTooWide: false })
        await context.close()
      })
    }).pipe(Effect.scoped)
  )
})
