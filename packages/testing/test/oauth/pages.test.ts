import { describe, expect, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { formsIn } from "@tollgate/testing/oauth/pagesBrowser"
import { decide, redirectUri, signInThere, World } from "@tollgate/testing/oauth/pagesWorld"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** An account with a key, in a world that all tests share. */
type Its = World["Service"] & { readonly account: string; readonly key: string }

const approve = { decision: "approve", limit: "amount", amount: "2.50", day: "" }

const grantsOf = ({ account, grants, run }: Its) => run(grants.list(account))

const principalOf = async ({ keys, run }: Its, token: string | undefined) =>
  Option.getOrUndefined(await run(keys.find(token ?? "")))

layer(World.layer(), { excludeTestServices: true })((it) => {
  const test = (name: string, run: (world: Its) => Promise<void>) =>
    it.effect(name, () =>
      World.use((world) => Effect.promise(async () => run({ ...world, ...(await world.newAccount()) })))
    )

  describe("a request for access", () => {
    test("is decided by a person who signs in with a key and sets a limit", async (world) => {
      const browser = world.browser()
      const { clientId, page } = await world.authorize(browser)
      expect(page.text).toContain("<h1>Sign in</h1>")
      expect(page.text).toContain("The Agent")
      const consent = await signInThere(browser, page, world.key)
      expect(consent.status).toBe(200)
      for (const shown of [
        "The Agent",
        clientId,
        "<strong>client.example</strong>",
        redirectUri,
        "Unverified",
        "Acme",
        world.account,
        "Call the operations of this gateway",
        "See what the account has used and spent",
        "No limit",
        "$5.00"
      ]) {
        expect(consent.text).toContain(shown)
      }
      expect(formsIn(consent)[1]?.fields).toMatchObject({ limit: "amount", amount: "5.00" })

      const { left } = await decide(browser, consent, approve)
      const returned = new URL(left ?? "")
      expect(`${returned.origin}${returned.pathname}`).toBe(redirectUri)
      expect(returned.searchParams.get("state")).toBe("the-state")
      const [grant] = await grantsOf(world)
      expect(grant).toMatchObject({
        account: world.account,
        client: { id: clientId, name: "The Agent" },
        scopes: ["use", "usage"],
        limit: micro(2_500_000n),
        spent: micro(0n),
        ended: false
      })
      const principal = await principalOf(world, await world.tokenFor(clientId, left))
      expect([principal?.account, principal?.grant?.id]).toEqual([world.account, grant?.id])
    })

    test("is decided by a person who signs in with a link from the operator", async (world) => {
      const browser = world.browser()
      const { clientId, page } = await world.authorize(browser)
      const { secret } = await world.run(world.signIn.createLink(world.account))
      const link = await browser.open(`/account/sign-in/${Redacted.value(secret)}`)
      expect(link.text).toContain("Sign in to Acme")
      await browser.submit(link, "/account/sign-in/link", {})
      const consent = await browser.open(page.url)
      const { left } = await decide(browser, consent, approve)
      expect(await principalOf(world, await world.tokenFor(clientId, left))).toMatchObject({ account: world.account })
    })

    test("that is denied returns to the client with access_denied, signed in or not", async (world) => {
      for (const isSignedIn of [true, false]) {
        const browser = world.browser()
        const { page } = await world.authorize(browser)
        const shown = isSignedIn ? await signInThere(browser, page, world.key) : page
        const { left } = await decide(browser, shown, { decision: "deny" })
        const { searchParams } = new URL(left ?? "")
        expect([searchParams.get("error"), searchParams.get("state")]).toEqual(["access_denied", "the-state"])
        expect(searchParams.has("code")).toBe(false)
      }
      expect(await grantsOf(world)).toEqual([])
    })

    test("has no limit only if the person chooses so", async (world) => {
      const browser = world.browser()
      const { page } = await world.authorize(browser)
      const consent = await signInThere(browser, page, world.key)
      await decide(browser, consent, { decision: "approve", limit: "none", amount: "3" })
      expect((await grantsOf(world)).map(({ limit }) => limit)).toEqual([null])
    })

    test("is shown again if the limit is not an amount, and nothing is granted", async (world) => {
      const browser = world.browser()
      const { page } = await world.authorize(browser)
      const consent = await signInThere(browser, page, world.key)
      for (const amount of ["", "0", "-1", "5 USD", "1e3", "0.0000001", "9999999999999", "٥"]) {
        const again = await decide(browser, consent, { decision: "approve", limit: "amount", amount })
        expect([again.status, again.left], amount).toEqual([400, undefined])
        expect(again.text).toContain('role="alert"')
        expect(formsIn(again)[1]?.fields).toMatchObject({ amount })
      }
      for (const limit of ["", "all", "amount,none"]) {
        const again = await decide(browser, consent, { decision: "approve", limit, amount: "1" })
        expect([again.status, again.text.includes("Choose how much it may spend.")], limit).toEqual([400, true])
      }
      expect(await grantsOf(world)).toEqual([])
      const { left } = await decide(browser, consent, approve)
      expect(left).toContain("code=")
    })

    test("that cannot spend asks for no limit, and its limit is nothing", async (world) => {
      const browser = world.browser()
      const { page } = await world.authorize(browser, { scope: "usage" })
      const consent = await signInThere(browser, page, world.key)
      expect(consent.text).toContain("It can spend nothing.")
      expect(consent.text).not.toContain('name="amount"')
      await decide(browser, consent, { decision: "approve" })
      expect(await grantsOf(world)).toMatchObject([{ scopes: ["usage"], limit: 0n }])
      const { clientId, page: next } = await world.authorize(browser, { scope: "usage" })
      await decide(browser, next, { decision: "approve" })
      const again = await browser.open(world.authorizeUrl(clientId))
      expect(again.text).toContain("already has access (cannot spend)")
    })

    test("shows no scope that the gateway does not know", async (world) => {
      const browser = world.browser()
      const { page } = await world.authorize(browser, { scope: "use Verified.by.Tollgate:free_of_charge" })
      const consent = await signInThere(browser, page, world.key)
      expect(consent.text).toContain("Call the operations of this gateway")
      expect(consent.text).not.toContain("Verified")
    })

    test("asks again each time, also from a client that has access, which goes on under the new terms", async (world) => {
      const browser = world.browser()
      const { clientId, page } = await world.authorize(browser)
      const consent = await signInThere(browser, page, world.key)
      expect(consent.text).not.toContain("already has access")
      const { left } = await decide(browser, consent, approve)
      const token = await world.tokenFor(clientId, left)
      const [first] = await grantsOf(world)
      await world.run(world.sql`UPDATE keys SET spent = ${2_000} WHERE id = ${first?.id ?? ""}`)
      // Another client with the same name, and the same client for another account, stay as they are.
      const namesake = await world.authorize(browser)
      expect(namesake.page.text).not.toContain("already has access")
      await decide(browser, namesake.page, approve)
      const other = await world.newAccount("Other")
      const stranger = world.browser()
      const theirs = await stranger.open(world.authorizeUrl(clientId))
      await decide(stranger, await signInThere(stranger, theirs, other.key), approve)

      const again = await browser.open(world.authorizeUrl(clientId))
      expect(again.text).toContain("access to your account?")
      expect(again.text).toMatch(/The Agent<\/bdi> already has access \(\$0\.002 of \$2\.50 spent\)\./)
      expect(again.text).toContain("it goes on under what you choose here")
      expect(await principalOf(world, token)).toBeDefined()
      const next = await decide(browser, again, { ...approve, amount: "7" })
      // The tokens of the earlier sign-in are good, under the same grant.
      expect((await principalOf(world, token))?.grant?.id).toBe(first?.id)
      const renewed = await principalOf(world, await world.tokenFor(clientId, next.left))
      const own = (await grantsOf(world)).filter(({ client }) => client.id === clientId)
      expect(own.map(({ ended, limit, spent }) => [ended, limit, spent])).toEqual([[false, 7_000_000n, 2_000n]])
      expect(renewed?.grant?.id).toBe(first?.id)
      expect((await grantsOf(world)).filter(({ ended }) => !ended)).toHaveLength(2)
      expect(await world.run(world.grants.list(other.account))).toMatchObject([{ ended: false }])
    })

    test("that is denied leaves the client the access that it has", async (world) => {
      const browser = world.browser()
      const { clientId, page } = await world.authorize(browser)
      await decide(browser, await signInThere(browser, page, world.key), approve)
      await decide(browser, await browser.open(world.authorizeUrl(clientId)), { decision: "deny" })
      expect(await grantsOf(world)).toMatchObject([{ ended: false }])
    })

    test("names the page where access is revoked", async (world) => {
      const browser = world.browser()
      const { page } = await world.authorize(browser)
      const consent = await signInThere(browser, page, world.key)
      expect(consent.text).toMatch(/at any\s+time at <a href="\/grants">\/grants<\/a>\./)
    })

    test("is granted by the account that is signed in, also if another was before", async (world) => {
      const other = await world.newAccount("Other")
      const browser = world.browser()
      const first = await world.authorize(browser)
      await decide(browser, await signInThere(browser, first.page, world.key), approve)
      const second = await world.authorize(browser)
      const signIn = await browser.submit(second.page, "/sign-out", {})
      expect(signIn.text).toContain("<h1>Sign in</h1>")
      const { left } = await decide(browser, await signInThere(browser, signIn, other.key), approve)
      const token = await world.tokenFor(second.clientId, left)
      expect(await principalOf(world, token)).toMatchObject({ account: other.account })
    })

    test("that is approved twice at once makes one grant, and both answers lead on", async (world) => {
      const browser = world.browser()
      const { clientId, page } = await world.authorize(browser)
      const consent = await signInThere(browser, page, world.key)
      const form = formsIn(consent)[1]
      const body = new URLSearchParams({ ...form?.fields, ...approve })
      const send = () => browser.fetch(form?.action ?? "", { method: "POST", body })
      const answers = await Promise.all(Array.from({ length: 8 }, send))
      const locations = new Set(answers.map(({ headers, status }) => `${status} ${headers.get("location") ?? ""}`))
      expect(locations.size).toBe(1)
      expect(await grantsOf(world)).toHaveLength(1)
      const { left } = await browser.open(answers[0]?.headers.get("location") ?? "")
      expect(await world.tokenFor(clientId, left)).toBeDefined()
      expect((await browser.open(form?.action ?? "", { method: "POST", body })).text).toContain(
        "This request has ended"
      )
      expect(await grantsOf(world)).toHaveLength(1)
    })
  })

  describe("a session", () => {
    test("is for those who sign in, until they sign out", async (world) => {
      const browser = world.browser()
      const signIn = await browser.open("/account")
      expect(signIn.text).toContain("<h1>Sign in</h1>")
      const signedIn = await signInThere(browser, signIn, world.key)
      expect(signedIn.text).toContain("You are signed in")
      expect(signedIn.text).toContain(world.account)
      expect(signedIn.text).toContain('<a href="/grants">')
      const copied = [...browser.cookies]
      const out = await browser.submit(signedIn, "/account/sign-out", {})
      expect(out.text).toContain("<h1>Sign in</h1>")
      // The session has ended on the server too.
      const thief = world.browser()
      thief.cookies.push(...copied)
      expect((await thief.open("/account")).text).toContain("<h1>Sign in</h1>")
    })
  })

  describe("the pages' cookie", () => {
    test("is not readable by scripts, and is another after each sign-in", async (world) => {
      const browser = world.browser()
      const page = await browser.open("/account")
      const [before] = browser.cookies
      expect(before).toMatchObject({ name: "tollgate_account", attributes: "Path=/; HttpOnly; SameSite=Lax" })
      await signInThere(browser, page, world.key)
      const [after] = browser.cookies
      expect(after?.attributes).toMatch(/^Path=\/; HttpOnly; SameSite=Lax; Max-Age=3[56]\d\d$/)
      expect(after?.value).not.toBe(before?.value)
    })
  })

  describe("what cannot be done is said on a page", () => {
    test("with what to do next", async (world) => {
      const browser = world.browser()
      const { page } = await world.authorize(browser)
      const pages = [
        [400, "This request has ended", await browser.open("/oauth/interaction/none")],
        [400, "This request has ended", await world.browser().open(page.url)],
        [404, "Page not found", await browser.open("/account/none")],
        [405, "not how this page is used", await browser.open("/account/sign-out")],
        [400, "This link no longer works", await browser.open(`/account/sign-in/${"x".repeat(43)}`)],
        [403, "This key is not valid", await signInThere(browser, page, "tg_wrong")],
        [400, "not known", await browser.open(world.authorizeUrl("nobody"))]
      ] as const
      for (const [status, text, shown] of pages) {
        expect([shown.status, shown.headers.get("content-type")], text).toEqual([status, "text/html; charset=utf-8"])
        expect(shown.text).toContain(text)
        expect(shown.text).toContain('<html lang="en">')
      }
    })
  })
})

layer(World.layer({ baseUrl: "https://gateway.example.com" }), { excludeTestServices: true })((it) => {
  it.effect("behind https the cookie belongs to the host alone", () =>
    World.use((world) =>
      Effect.promise(async () => {
        const browser = world.browser()
        await browser.open("/account")
        expect(browser.cookies).toMatchObject([
          { name: "__Host-tollgate_account", attributes: "Path=/; HttpOnly; SameSite=Lax; Secure" }
        ])
      })
    )
  )
})
