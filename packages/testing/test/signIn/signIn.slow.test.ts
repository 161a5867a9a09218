import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { afterEach, beforeEach, vi } from "vitest"
import { bundlePage, chromium, hasChromium } from "@tollgate/testing/chromium"
import { open, outcome, press } from "@tollgate/testing/signIn/press"
import { api, app, authorizationServer } from "@tollgate/testing/signIn/servers"

// The authorization server warns that its configuration is only for tests.
beforeEach(() => {
  vi.spyOn(console, "info").mockImplementation(() => {})
  vi.spyOn(console, "warn").mockImplementation(() => {})
})
afterEach(() => void vi.restoreAllMocks())

/** An app, its API, its authorization server, and a browser that reaches nothing else. */
const world = Effect.fnUntraced(function* (more: object = {}) {
  let settings: object = more
  const origin = yield* app(yield* bundlePage("./signIn/page.ts"), () => settings)
  const server = yield* authorizationServer(origin)
  const { seen, url } = yield* api(server)
  settings = { ...more, resource: url }
  const context = yield* Effect.flatMap(chromium, (browser) => Effect.promise(() => browser.newContext()))
  const addresses: Array<string> = []
  const said: Array<string> = []
  context.on("request", (request) => void addresses.push(request.url(), request.headers()["referer"] ?? ""))
  context.on("console", (message) => {
    if (message.location().url.startsWith(origin)) said.push(message.text())
  })
  const tab = yield* Effect.promise(async () => {
    await context.route(
      ({ hostname }) => hostname !== "127.0.0.1",
      (route) => route.abort()
    )
    return context.newPage()
  })
  return { origin, server, seen, tab, addresses, said }
})

/** The user enters a name and a password, and agrees. */
const agree = async (page: Page) => {
  await page.fill("input[name=login]", "somebody")
  await page.fill("input[name=password]", "any")
  await page.click("button[type=submit]")
  await page.click("button:has-text('Continue')")
}

const inChromium = it.live.skipIf(!hasChromium)

inChromium("in Chromium a user signs in, calls, gets one new token, and signs out", () =>
  Effect.gen(function* () {
    const { addresses, origin, said, seen, server, tab } = yield* world()
    yield* Effect.promise(async () => {
      expect(await open(tab, `${origin}/start?tab=2`)).toMatchObject({ signedIn: false, outcome: "done" })
      await tab.click("#signIn")
      await agree(tab)
      expect(await outcome(tab, "load")).toMatchObject({
        signedIn: true,
        outcome: { returnTo: `${origin}/start?tab=2` }
      })
      expect(tab.url()).toBe(`${origin}/callback`)

      expect(await press(tab, "call")).toMatchObject({ outcome: { model: "rerank" } })
      const [token = ""] = seen
      expect(await server.introspect(token)).toMatchObject({ active: true, client_id: "the-page", scope: "use" })

      await tab.evaluate(() => {
        const now = Date.now
        Date.now = () => now() + 7_200_000
      })
      expect(await press(tab, "callTen")).toMatchObject({ outcome: Array(10).fill({ model: "rerank" }) })
      expect(server.grants).toEqual(["authorization_code", "refresh_token"])
      const renewed = new Set(seen.slice(1))
      expect([renewed.size, renewed.has(token)]).toEqual([1, false])

      expect(await press(tab, "signOut")).toMatchObject({ signedIn: false, outcome: { revoked: true } })
      const [last = ""] = renewed
      expect(await server.introspect(last)).toEqual({ active: false })
      expect(await press(tab, "call")).toMatchObject({
        outcome: { failed: { _tag: "CredentialUnavailable", cause: { _tag: "SignedOut", why: "left" } } }
      })
      expect(seen.length).toBe(11)

      const stored = await tab.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))
      expect(stored).toBe("[{},{}]")
      for (const token of seen) expect(addresses.join("\n")).not.toContain(token)
      expect(said).toEqual([])
    })
  }).pipe(Effect.scoped)
)

inChromium("in Chromium a user who declines is not signed in, and an old return address does nothing", () =>
  Effect.gen(function* () {
    const { origin, server, tab } = yield* world()
    yield* Effect.promise(async () => {
      await open(tab, origin)
      await tab.click("#signIn")
      await tab.click("a[href$=abort]")
      expect(await outcome(tab, "load")).toMatchObject({
        signedIn: false,
        outcome: { failed: { _tag: "SignInDeclined", error: "access_denied" } }
      })
      expect(tab.url()).toBe(`${origin}/callback`)

      const answers: Array<string> = []
      tab.on("request", (request) => void (request.url().includes("code=") && answers.push(request.url())))
      await tab.click("#signIn")
      await agree(tab)
      await outcome(tab, "load")
      expect(await open(tab, answers[0] ?? origin)).toMatchObject({
        signedIn: false,
        outcome: { failed: { _tag: "ReturnInvalid", why: "state" } }
      })
      expect(server.grants).toEqual(["authorization_code"])
    })
  }).pipe(Effect.scoped)
)

inChromium("in Chromium a user signs in by popup, and stays signed in where storage is allowed", () =>
  Effect.gen(function* () {
    const { origin, tab } = yield* world({ keep: "sessionStorage" })
    yield* Effect.promise(async () => {
      await open(tab, `${origin}/start`)
      const [popup] = await Promise.all([tab.waitForEvent("popup"), tab.click("#signInByPopup")])
      const closed = popup.waitForEvent("close")
      await agree(popup)
      expect(await outcome(tab, "signInByPopup")).toMatchObject({ signedIn: true, outcome: "done" })
      await closed
      expect(tab.url()).toBe(`${origin}/start`)
      await tab.reload()
      expect(await outcome(tab, "load")).toMatchObject({ signedIn: true })
      expect(await press(tab, "call")).toMatchObject({ outcome: { model: "rerank" } })
    })
  }).pipe(Effect.scoped)
)
