import { describe, expect, layer } from "@effect/vitest"
import { type Browser, formsIn, post, type Shown } from "@tollgate/testing/oauth/pagesBrowser"
import { decide, signInThere, World } from "@tollgate/testing/oauth/pagesWorld"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

type Its = World["Service"] & { readonly account: string; readonly key: string }

const approve = { decision: "approve", limit: "amount", amount: "2.50" }

const grantsOf = ({ account, grants, run }: Its) => run(grants.list(account))

/** The page on which a person who is signed in decides. */
const consentOf = async (world: Its, browser: Browser, parameters?: Readonly<Record<string, string>>, name?: string) =>
  signInThere(browser, (await world.authorize(browser, parameters, name)).page, world.key)

/** The form of a page that goes to a path with this end. */
const formTo = (page: Shown, to: string) => formsIn(page).find(({ action }) => action.endsWith(to)) ?? formsIn(page)[0]!

const pathOf = ({ url }: Shown): string => new URL(url).pathname

const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.open("/account")).text.includes("You are signed in")

layer(World.layer(), { excludeTestServices: true })((it) => {
  const test = (name: string, run: (world: Its) => Promise<void>) =>
    it.effect(name, () =>
      World.use((world) => Effect.promise(async () => run({ ...world, ...(await world.newAccount()) })))
    )

  describe("a form that another site sends", () => {
    test("grants, denies and signs out nothing", async (world) => {
      const browser = world.browser()
      await decide(browser, await consentOf(world, browser), approve)
      const consent = (await world.authorize(browser)).page
      const signedIn = await browser.open("/account")
      const forms = [
        [consent, pathOf(consent), approve],
        [consent, pathOf(consent), { decision: "deny" }],
        [consent, "/sign-out", {}],
        [signedIn, "/account/sign-out", {}]
      ] as const
      const foreign = [
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site", origin: world.listening },
        { "sec-fetch-site": "none" }
      ]
      for (const [page, to, fields] of forms) {
        for (const headers of foreign) {
          const { status, text } = await browser.submit(page, to, fields, headers)
          expect([status, text.includes("came from another site")], to).toEqual([403, true])
        }
      }
      expect(await grantsOf(world)).toMatchObject([{ ended: false }])
      expect((await browser.open("/account")).text).toContain("You are signed in")
      // Our own forms have the origin `null`, because they send no referrer.
      const own = await browser.submit(consent, pathOf(consent), approve, {
        "sec-fetch-site": "same-origin",
        origin: "null"
      })
      expect(own.left).toContain("code=")
    })

    test("is refused without the token of this browser and this form", async (world) => {
      const browser = world.browser()
      const consent = await consentOf(world, browser)
      const own = formTo(consent, pathOf(consent))
      const other = await consentOf(world, world.browser())
      const otherRequest = (await world.authorize(browser)).page
      const tokens = [
        undefined,
        "",
        "x",
        own.fields.token?.slice(1),
        formTo(other, pathOf(other)).fields.token,
        formTo(consent, "/sign-out").fields.token,
        formTo(otherRequest, pathOf(otherRequest)).fields.token
      ]
      for (const token of tokens) {
        const fields = { ...own.fields, ...approve, ...(token === undefined ? { token: "" } : { token }) }
        const { status, text } = await browser.open(own.action, post(fields))
        expect([status, text.includes("This page was out of date")], token).toEqual([403, true])
      }
      expect(await grantsOf(world)).toEqual([])
    })

    test("does not sign a person in to another's account", async (world) => {
      const { key } = await world.newAccount("Attacker")
      const victim = world.browser()
      const attacker = world.browser()
      const shown = await attacker.open("/account")
      const { token = "" } = formTo(shown, "/sign-in").fields
      await victim.open("/account")
      const answer = await victim.open("/account/sign-in", post({ token, key }))
      expect(answer.status).toBe(403)
      expect(await isSignedIn(victim)).toBe(false)
    })

    test("cannot decide a request that another browser began", async (world) => {
      const browser = world.browser()
      const consent = await consentOf(world, browser)
      const thief = world.browser()
      // The thief is signed in, and knows the address and how tokens are made.
      thief.cookies.push(...browser.cookies.filter(({ name }) => name === "tollgate_account"))
      const { action, fields } = formTo(consent, pathOf(consent))
      expect((await thief.open(action, post({ ...fields, ...approve }))).text).toContain("This request has ended")
      expect(await grantsOf(world)).toEqual([])
    })
  })

  describe("every page", () => {
    test("cannot be framed, cached, scripted, or leak its address", async (world) => {
      const browser = world.browser()
      const { page } = await world.authorize(browser)
      const wrong = await signInThere(browser, page, "tg_wrong")
      const consent = await signInThere(browser, page, world.key)
      const again = await decide(browser, consent, { ...approve, amount: "x" })
      const pages = [
        page,
        wrong,
        consent,
        again,
        await browser.open("/account"),
        await browser.open("/account/none"),
        await browser.open(`/account/sign-in/${"x".repeat(43)}`),
        await browser.open(world.authorizeUrl("nobody"), { headers: { accept: "text/html" } }),
        await browser.open("/account/sign-in", { method: "POST", body: "x".repeat(100_000) })
      ]
      for (const { headers, text, url } of pages) {
        const policy = headers.get("content-security-policy") ?? ""
        expect(policy, url).toMatch(
          /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'[^;]*; base-uri 'none'; frame-ancestors 'none'$/
        )
        expect(policy).not.toMatch(/unsafe|\*/)
        expect(Object.fromEntries(headers)).toMatchObject({
          "x-frame-options": "DENY",
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff",
          "content-type": "text/html; charset=utf-8"
        })
        expect(headers.get("access-control-allow-origin"), url).toBeNull()
        expect(text).not.toMatch(/<script|<link|<img|<iframe|src=|style="|javascript:|\son\w+=/i)
        expect(text).not.toMatch(/https?:\/\/(?!client\.example)/)
      }
      const decision = await browser.fetch(formTo(consent, pathOf(consent)).action, {
        ...post({ ...formTo(consent, pathOf(consent)).fields, ...approve })
      })
      expect([decision.status, decision.headers.get("cache-control")]).toEqual([303, "no-store"])
    })

    test("lets its forms lead to the client's redirect and to no other plain address", async (world) => {
      const targets = {
        "https://client.example/callback": "'self' https:",
        "http://127.0.0.1:4321/callback": "'self' https: http://127.0.0.1:4321",
        "http://[::1]:4321/callback": "'self' https: http:",
        "com.example.app:/callback": "'self' https: com.example.app:"
      }
      for (const [redirect_uri, target] of Object.entries(targets)) {
        const { page } = await world.authorize(world.browser(), { redirect_uri })
        expect(page.headers.get("content-security-policy"), redirect_uri).toContain(`form-action ${target};`)
      }
    })
  })

  describe("what a client says of itself", () => {
    const markup = `"><script>alert(1)</script><b onclick='x'>&amp;`

    test("is shown as text: its name, redirect and state cannot become markup", async (world) => {
      const browser = world.browser()
      const redirect_uri = "https://client.example/cb?a='b&c=<d>"
      const consent = await consentOf(world, browser, { redirect_uri, state: markup }, markup)
      expect(consent.text).not.toContain("<script")
      expect(consent.text).not.toContain("<b ")
      expect(consent.text).toContain(
        "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;b onclick=&#39;x&#39;&gt;&amp;amp;"
      )
      expect(consent.text).toContain("https://client.example/cb?a=&#39;b&amp;c=&lt;d&gt;")
      await decide(browser, consent, approve)
    })

    test("cannot hide or turn around what follows, or fill the page", async (world) => {
      const name = `Claude\u202E\u200B\u0000\nby ${"Anthropic ".repeat(15)}`
      const consent = await consentOf(world, world.browser(), {}, name)
      for (const character of "\u202E\u200B\u0000") expect(consent.text).not.toContain(character)
      expect(consent.text).toMatch(/<bdi>Claude by (Anthropic )+[^<]*…<\/bdi>/)
    })

    test("does not disguise the host that it returns to", async (world) => {
      for (const [redirect_uri, shown] of [
        ["https://gateway.example.com.evil.example/callback", "gateway.example.com.evil.example"],
        ["https://аррӏе.example/callback", "xn--80ak6aa92e.example"],
        ["https://client.example:8443/callback", "client.example:8443"]
      ] as const) {
        const { page } = await world.authorize(world.browser(), { redirect_uri })
        expect(page.text, redirect_uri).toContain(`Go back to ${shown}`)
      }
    })
  })

  describe("a secret that was typed into a wrong field", () => {
    test("never comes back in a page or an address", async (world) => {
      const browser = world.browser()
      const { page } = await world.authorize(browser)
      const wrongKey = `tg_0${world.key.slice(3)}`
      const answers = [
        await signInThere(browser, page, wrongKey),
        await browser.open(`/account/sign-in/${world.key}x`),
        await browser.open(`/account/sign-in?key=${world.key}`),
        await browser.open(`/account/${world.key}`),
        await browser.submit(await world.browser().open("/account"), "/sign-in", { key: `${wrongKey}"><b>` })
      ]
      const consent = await signInThere(browser, page, world.key)
      answers.push(
        consent,
        await decide(browser, consent, { ...approve, amount: world.key }),
        await decide(browser, consent, { ...approve, limit: world.key }),
        await decide(browser, consent, { ...approve, decision: world.key }),
        await decide(browser, consent, { ...approve, token: world.key }),
        await browser.open("/account")
      )
      for (const { headers, left = "", text } of answers) {
        const all = `${text}\n${left}\n${JSON.stringify([...headers])}`
        expect(all).not.toContain(world.key.slice(3, 20))
      }
    })
  })

  describe("a form that no page sends", () => {
    test("is refused by its size, its type, and its fields", async (world) => {
      const browser = world.browser()
      const page = await browser.open("/account")
      const { fields } = formTo(page, "/sign-in")
      const send = async (body: string, type = "application/x-www-form-urlencoded") => {
        const { status, text } = await browser.open("/account/sign-in", {
          method: "POST",
          headers: { "content-type": type },
          body
        })
        expect(text).toContain("<h1>")
        return status
      }
      const good = new URLSearchParams({ ...fields, key: world.key }).toString()
      expect(await send(`${good}&more=${"x".repeat(10_000)}`)).toBe(413)
      expect(await send("x".repeat(1_000_000))).toBe(413)
      for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", ""]) {
        expect(await send(good, type), type).toBe(415)
      }
      expect(await send(`${good}&key=${world.key}`)).toBe(400)
      expect(await send(`${good}${"&a".repeat(1_000)}`)).toBe(400)
      expect(await send(Array.from({ length: 400 }, (_, i) => `f${i}=`).join("&"))).toBe(400)
      expect(await send("")).toBe(403)
      expect(await send(good, "Application/X-WWW-Form-Urlencoded; charset=utf-8")).toBe(200)
    })

    test("is refused by its method", async (world) => {
      const browser = world.browser()
      for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
        expect((await browser.open("/account", { method })).status, method).toBe(405)
      }
      const head = await browser.open("/account", { method: "HEAD" })
      expect([head.status, head.text]).toEqual([200, ""])
    })
  })

  describe("signing in", () => {
    test("with a wrong key is slowed down by address, and the right one still signs in", async (world) => {
      const browser = world.browser()
      const page = await browser.open("/account")
      const statuses = await Promise.all(
        Array.from({ length: 15 }, async () => (await signInThere(browser, page, "tg_wrong")).status)
      )
      expect(statuses.filter((status) => status === 403)).toHaveLength(10)
      const wrong = await signInThere(browser, page, "tg_wrong")
      expect([wrong.status, Number(wrong.headers.get("retry-after")) > 0]).toEqual([429, true])
      expect(wrong.text).toMatch(/Try again in \d+ second/)
      expect((await signInThere(browser, page, world.key)).status).toBe(200)
    })

    test("with an access token or a key of limited spend is refused", async (world) => {
      const browser = world.browser()
      const { clientId, page } = await world.authorize(browser)
      const { left } = await decide(browser, await signInThere(browser, page, world.key), approve)
      const token = (await world.tokenFor(clientId, left)) ?? ""
      expect(token.length).toBeGreaterThan(20)
      const limited = await world.run(
        world.accounts.createKey(world.account, {
          budget: (await world.run(world.accounts.get(world.account))).balance
        })
      )
      const other = world.browser()
      const signIn = await other.open("/account")
      expect((await signInThere(other, signIn, token)).text).toContain("This key is not valid")
      expect((await signInThere(other, signIn, Redacted.value(limited.value))).text).toContain("This key is limited")
      expect(await isSignedIn(other)).toBe(false)
    })

    test("with a link works once, and not for programs that preview links", async (world) => {
      const { secret } = await world.run(world.signIn.createLink(world.account))
      const path = `/account/sign-in/${Redacted.value(secret)}`
      const preview = world.browser()
      for (const method of ["GET", "HEAD", "GET"]) await preview.open(path, { method })
      expect((await preview.open(path, post({}))).status).toBe(405)

      const browser = world.browser()
      const page = await browser.open(path)
      const signedIn = await browser.submit(page, "/link", {})
      expect([signedIn.status, signedIn.text.includes("You are signed in")]).toEqual([200, true])
      const late = world.browser()
      expect((await late.open(path)).text).toContain("This link no longer works")
      expect((await browser.submit(page, "/link", {})).status).toBe(403)
      const own = await late.open("/account")
      const { token = "" } = formTo(own, "/sign-in").fields
      expect((await late.open("/account/sign-in/link", post({ token, link: Redacted.value(secret) }))).status).toBe(403)
    })

    test("makes another session, so that one planted before is worth nothing", async (world) => {
      const browser = world.browser()
      const page = await browser.open("/account")
      const planted = [...browser.cookies]
      await signInThere(browser, page, world.key)
      const attacker = world.browser()
      attacker.cookies.push(...planted)
      expect(await isSignedIn(attacker)).toBe(false)
    })
  })
})
