import { expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { bundlePage, chromium, hasChromium } from "@tollgate/testing/chromium"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { open, outcome, press } from "@tollgate/testing/signIn/press"
import { app } from "@tollgate/testing/signIn/servers"
import { key } from "@tollgate/testing/TestGateway"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"

/** An app that is registered at the gateway, in a browser that reaches nothing but this machine. */
const world = Effect.fnUntraced(function* (more: object = {}) {
  const { account, baseUrl, grants } = yield* OAuthGateway
  let settings: object = {}
  const origin = yield* app(yield* bundlePage("./signIn/page.ts"), () => settings)
  const metadata = { client_name: "The app", redirect_uris: [`${origin}/callback`] }
  const { client } = yield* Effect.promise(() => TestClient.register(baseUrl, metadata))
  settings = { ...more, resource: baseUrl, clientId: client.client_id, scopes: ["use"] }
  const context = yield* Effect.flatMap(chromium, (browser) => Effect.promise(() => browser.newContext()))
  const said: Array<string> = []
  context.on("console", (message) => void said.push(message.text()))
  const tab = yield* Effect.promise(async () => {
    await context.route(
      ({ hostname }) => hostname !== "127.0.0.1",
      (route) => route.abort()
    )
    return context.newPage()
  })
  return { origin, tab, said, grant: () => Effect.runPromise(Effect.map(grants.list(account), ([one]) => one)) }
})

/** The user signs in with a key, sets a limit and approves. */
const approve = async (page: Page) => {
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("textbox", { name: "Budget in USD", exact: true }).fill("0.75")
  await page.getByRole("button", { name: "Approve" }).click()
}

const inChromium = it.live.skipIf(!hasChromium)

inChromium("in Chromium a user of an app signs in at the gateway, calls, gets a new token, and signs out", () =>
  Effect.gen(function* () {
    const { grant, origin, said, tab } = yield* world()
    yield* Effect.promise(async () => {
      await open(tab, `${origin}/start?tab=2`)
      await tab.click("#signIn")
      await approve(tab)
      expect(await outcome(tab, "load")).toMatchObject({
        signedIn: true,
        outcome: { returnTo: `${origin}/start?tab=2` }
      })
      expect(tab.url()).toBe(`${origin}/callback`)
      expect(await press(tab, "call")).toMatchObject({ outcome: { model: "rerank" } })
      const first = await grant()
      expect(first).toMatchObject({ limit: micro(750_000n), scopes: ["use"], client: { name: "The app" } })

      // Later than the access token's end.
      await tab.evaluate(() => {
        const now = Date.now
        Date.now = () => now() + 7_200_000
      })
      expect(await press(tab, "callTen")).toMatchObject({ outcome: Array(10).fill({ model: "rerank" }) })
      expect(await press(tab, "signOut")).toMatchObject({ signedIn: false, outcome: { revoked: true } })
      expect(await press(tab, "call")).toMatchObject({
        outcome: { failed: { _tag: "CredentialUnavailable", cause: { _tag: "SignedOut", why: "left" } } }
      })
      expect(said).toEqual([])
    })
  }).pipe(Effect.scoped, Effect.provide(OAuthGateway.layer()))
)

inChromium("in Chromium a user of an app signs in at the gateway by popup, and declines there", () =>
  Effect.gen(function* () {
    const { origin, said, tab } = yield* world({ keep: "sessionStorage" })
    const popUp = async () => {
      const [popup] = await Promise.all([tab.waitForEvent("popup"), tab.click("#signInByPopup")])
      return { popup, closed: popup.waitForEvent("close") }
    }
    yield* Effect.promise(async () => {
      await open(tab, `${origin}/start`)
      const declined = await popUp()
      await declined.popup.getByRole("button", { name: "Go back to" }).click()
      expect(await outcome(tab, "signInByPopup")).toMatchObject({
        signedIn: false,
        outcome: { failed: { _tag: "SignInDeclined", error: "access_denied" } }
      })
      await declined.closed

      const approved = await popUp()
      await approve(approved.popup)
      expect(await outcome(tab, "signInByPopup")).toMatchObject({ signedIn: true, outcome: "done" })
      await approved.closed
      expect(tab.url()).toBe(`${origin}/start`)
      await tab.reload()
      expect(await outcome(tab, "load")).toMatchObject({ signedIn: true })
      expect(await press(tab, "call")).toMatchObject({ outcome: { model: "rerank" } })
      expect(said).toEqual([])
    })
  }).pipe(Effect.scoped, Effect.provide(OAuthGateway.layer()))
)
