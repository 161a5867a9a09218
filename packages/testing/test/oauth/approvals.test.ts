import { expect, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { codeOf, connected, decide, linkIn, signedIn, tokenOf } from "@tollgate/testing/oauth/approving"
import { Browser } from "@tollgate/testing/oauth/Browser"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { alsoOnPostgres, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import { key } from "@tollgate/testing/TestGateway"
import { callTool } from "@tollgate/testing/tools/agent"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const gateway = Layer.provideMerge(OAuthGateway.served, OAuthGateway.layer())

const stores = [
  { name: "SQLite", on: gateway },
  ...(alsoOnPostgres
    ? [
        {
          name: "PostgreSQL",
          on: Layer.provideMerge(OAuthGateway.served, OAuthGateway.layer({ store: onMigratedDatabase() }))
        }
      ]
    : [])
]

for (const { name, on } of stores)
  layer(on, { excludeTestServices: true, timeout: "60 seconds" })(`a call that needs approval, on ${name}`, (it) => {
    it.effect("is made after a person has read and allowed it, once", () =>
      Effect.gen(function* () {
        const { ask, calls } = yield* connected
        const refused = yield* ask("the whole river")
        expect([refused.status, codeOf(refused.text)]).toEqual([403, "approval_required"])
        const link = linkIn(refused.text)
        // The same request is asked once.
        expect(linkIn((yield* ask("the whole river")).text)).toBe(link)
        const { after, before } = yield* Effect.promise(async () => decide(await signedIn(link), link, "yes"))
        expect(before).toContain("the whole river")
        expect(before).toMatch(/About \$0\.\d+, at most \$0\.\d+/)
        expect(after).toContain("You approved this call. It was not made yet. Tell")
        expect(yield* calls).toBe(0)
        const made = yield* ask("the whole river")
        expect(made.status).toBe(200)
        const again = yield* ask("the whole river")
        expect(again.status).toBe(403)
        expect(linkIn(again.text)).not.toBe(link)
        expect(yield* calls).toBe(1)
      })
    )

    it.effect("is another call if anything of it differs", () =>
      Effect.gen(function* () {
        const { ask, calls } = yield* connected
        const link = linkIn((yield* ask("small")).text)
        yield* Effect.promise(async () => decide(await signedIn(link), link, "yes"))
        expect((yield* ask("smalL")).status).toBe(403)
        expect(yield* calls).toBe(0)
        expect((yield* ask("small")).status).toBe(200)
      })
    )

    it.effect("is made once by a hundred that race, and by all with one idempotency key", () =>
      Effect.gen(function* () {
        const { ask, calls } = yield* connected
        const link = linkIn((yield* ask("race")).text)
        yield* Effect.promise(async () => decide(await signedIn(link), link, "yes"))
        const all = yield* Effect.all(
          Array.from({ length: 100 }, () => ask("race")),
          { concurrency: "unbounded" }
        )
        expect(all.filter(({ status }) => status === 200).length).toBe(1)
        expect(yield* calls).toBe(1)

        const repeated = { "idempotency-key": "one key", "x-tollgate-idempotency-mode": "replay" }
        const keyed = linkIn((yield* ask("keyed", repeated)).text)
        yield* Effect.promise(async () => decide(await signedIn(keyed), keyed, "yes"))
        const first = yield* ask("keyed", repeated)
        const second = yield* ask("keyed", repeated)
        expect([first.status, second.status]).toEqual([200, 200])
        expect(second.text).toBe(first.text)
        expect((yield* ask("keyed", { "idempotency-key": "another" })).status).toBe(403)
        // A repeat that is refused, because its key was used or is in use, does not free the yes.
        const refusing = { "idempotency-key": "one key", "x-tollgate-idempotency-mode": "refuse" }
        expect((yield* ask("keyed", refusing)).status).toBe(409)
        expect((yield* ask("keyed", { "idempotency-key": "another" })).status).toBe(403)
        expect((yield* ask("keyed")).status).toBe(403)
        expect(yield* calls).toBe(2)
      })
    )

    it.effect("is refused if the person says no, and the first decision counts", () =>
      Effect.gen(function* () {
        const { ask, calls } = yield* connected
        const link = linkIn((yield* ask("no")).text)
        const browser = yield* Effect.promise(() => signedIn(link))
        expect((yield* Effect.promise(() => decide(browser, link, "no"))).after).toContain("You denied this call")
        expect((yield* Effect.promise(() => decide(browser, link, "yes"))).after).toContain("You denied this call")
        expect((yield* ask("no")).status).toBe(403)
        expect(yield* calls).toBe(0)
      })
    )

    it.effect("can be allowed by the account alone, from its own page", () =>
      Effect.gen(function* () {
        const { accounts, ask, baseUrl, calls, tokens } = yield* connected
        const link = linkIn((yield* ask("whose")).text)
        const stranger = yield* accounts.create("stranger")
        const other = yield* accounts.createKey(stranger.id, { label: "other" })
        yield* Effect.promise(async () => {
          const browser = await signedIn(link, Redacted.value(other.value))
          expect((await browser.fetch(link)).status).toBe(404)
          // A form of another page, of nobody, and with a token of its own.
          for (const fields of [{ decision: "yes" }, { decision: "yes", token: "guess" }]) {
            expect((await browser.post(link, fields)).status).toBe(403)
            expect((await new Browser().post(link, fields)).status).toBe(403)
          }
          const withToken = await fetch(link, {
            method: "POST",
            headers: { authorization: `Bearer ${tokens.access_token}` },
            body: new URLSearchParams({ decision: "yes" })
          })
          expect(withToken.status).toBe(403)
          expect((await fetch(`${baseUrl}/account/approvals/ap_${"0".repeat(32)}`)).status).toBe(200)
        })
        expect((yield* ask("whose")).status).toBe(403)
        expect(yield* calls).toBe(0)
      })
    )

    it.effect("is not made with a yes that has ended, or after access was taken back", () =>
      Effect.gen(function* () {
        const { ask, calls, grants, id, sql } = yield* connected
        const link = linkIn((yield* ask("late")).text)
        yield* Effect.promise(async () => decide(await signedIn(link), link, "yes"))
        yield* sql`UPDATE approvals SET ends_at = ${Date.now() - 1} WHERE grant_id = ${id}`
        expect((yield* ask("late")).status).toBe(403)
        // What was decided is on record for longer than what nobody decided.
        yield* sql`UPDATE approvals SET ends_at = ${Date.now() - 2 * 86_400_000} WHERE grant_id = ${id}`
        yield* ask("later")
        const kept = yield* sql`SELECT decision FROM approvals WHERE grant_id = ${id} ORDER BY ends_at`
        expect(kept.map(({ decision }) => decision)).toEqual(["yes", null])
        const other = linkIn((yield* ask("back")).text)
        yield* Effect.promise(async () => decide(await signedIn(other), other, "yes"))
        yield* grants.revoke(id)
        expect((yield* ask("back")).status).toBe(401)
        expect(yield* calls).toBe(0)
      })
    )

    it.effect("keeps its yes if it is refused for another reason", () =>
      Effect.gen(function* () {
        const { ask, calls, grants, id } = yield* connected
        const link = linkIn((yield* ask("poor")).text)
        yield* Effect.promise(async () => decide(await signedIn(link), link, "yes"))
        yield* grants.change(id, { limit: micro(1n) })
        expect((yield* ask("poor")).status).toBe(402)
        yield* grants.change(id, { limit: null })
        expect((yield* ask("poor")).status).toBe(200)
        expect(yield* calls).toBe(1)
      })
    )

    it.effect("comes from an agent, which gets the link and repeats the call", () =>
      Effect.gen(function* () {
        const { calls, tokens } = yield* connected
        const call = {
          operation_id: "rerank",
          arguments: { query: "agent", documents: ["river mountain sea shore ".repeat(50)] },
          max_price_usd: 0.5,
          idempotency_key: "agent-1"
        }
        const use = callTool("use", call, { authorization: `Bearer ${tokens.access_token}` })
        const refused = yield* use
        const { error } = refused.content as { readonly error: Readonly<Record<string, string>> }
        expect(error).toMatchObject({ code: "approval_required", outcome: "not executed", repeat: "after_change" })
        expect(error.what_to_do).toContain("Show the user the link")
        const link = linkIn(error.message ?? "")
        const { before } = yield* Effect.promise(async () => decide(await signedIn(link), link, "yes"))
        expect(before).toContain("&quot;agent&quot;")
        const made = yield* use
        expect(made.isError).toBe(false)
        expect((yield* use).content).toMatchObject({ replayed: true })
        expect(yield* calls).toBe(1)
      })
    )

    it.effect("shows all of a long text on its page, escaped, and the list shortens it", () =>
      Effect.gen(function* () {
        const { ask, baseUrl } = yield* connected
        const long = `${"words <b>& more</b> ".repeat(5_000)}</details><script>pay mallory`
        const link = linkIn((yield* ask(long)).text)
        const path = new URL(link).pathname
        const page = yield* Effect.promise(async () => (await (await signedIn(link)).fetch(link)).text())
        const escaped = long.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
        expect(page).toContain(escaped)
        const [, summary = ""] = /<details>\s*<summary>([^]*?)<\/summary>/.exec(page) ?? []
        expect(summary).toMatch(/words &lt;b&gt;[^]* … [^]*&lt;script&gt;pay mallory[^]*open to read all/)
        expect(page).toContain('value="yes"')
        const listed = yield* own(baseUrl, key).list
        expect(listed.approvals.find(({ id }) => path.endsWith(String(id)))).toMatchObject({
          request_shortened: true
        })
        const tooLong = yield* ask("words ".repeat(200_000))
        expect([tooLong.status, linkIn(tooLong.text)]).toEqual([403, ""])
        expect(tooLong.text).toContain("a person cannot be shown more than 1000000 characters")
      })
    )

    it.effect("waits with at most twenty others, and the page shows no hidden characters", () =>
      Effect.gen(function* () {
        const { ask } = yield* connected
        const all = yield* Effect.all(
          Array.from({ length: 40 }, (_, i) => ask(`many ${i} \u202e<b>`)),
          { concurrency: 8 }
        )
        const links = all.map(({ text }) => linkIn(text)).filter((link) => link !== "")
        expect(new Set(links).size).toBe(20)
        expect(all.every(({ status }) => status === 403)).toBe(true)
        expect(all.some(({ text }) => text.includes("Too many calls wait for approval"))).toBe(true)
        const page = yield* Effect.promise(async () => {
          const [link = ""] = links
          return (await (await signedIn(link)).fetch(link)).text()
        })
        expect(page).toContain("\u{FFFD}&lt;b&gt;")
        expect(page).not.toContain("\u202e")
      })
    )
  })

const own = (baseUrl: string, credential: string) => {
  const request = (path: string, init: RequestInit = {}) =>
    Effect.promise(async () => {
      const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" }
      const response = await fetch(`${baseUrl}/account/v1/approvals${path}`, { headers, ...init })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    })
  return {
    list: Effect.map(request(""), ({ body, status }) => ({
      status,
      approvals: body["approvals"] as ReadonlyArray<Readonly<Record<string, unknown>>>
    })),
    decide: (id: string, decision: unknown) =>
      request(`/${id}/decide`, { method: "POST", body: JSON.stringify({ decision }) })
  }
}

layer(gateway, { excludeTestServices: true, timeout: "60 seconds" })("a form that was edited", (it) => {
  it.effect("decides nothing but what its page showed", () =>
    Effect.gen(function* () {
      const { ask, calls } = yield* connected
      const [one = "", two = ""] = [linkIn((yield* ask("one")).text), linkIn((yield* ask("two")).text)]
      yield* Effect.promise(async () => {
        const browser = await signedIn(one)
        const token = tokenOf(await (await browser.fetch(one)).text(), one)
        // The token of one call's form, sent for another call.
        expect((await browser.post(two, { token, decision: "yes" })).status).toBe(403)
        // In another browser of the same person.
        expect((await (await signedIn(one)).post(one, { token, decision: "yes" })).status).toBe(403)
        for (const decision of ["", "YES", "yes,no", "true"])
          expect((await browser.post(one, { token, decision })).status).toBe(400)
        // What the call may cost is in the store, not in the form.
        await browser.post(one, { token, decision: "yes", most: "999999999", grant: "gr_x", digest: "x" })
      })
      expect((yield* ask("two")).status).toBe(403)
      expect((yield* ask("one")).status).toBe(200)
      expect(yield* calls).toBe(1)
    })
  )

  it.effect("and a yes to one application is none to another, for the same request", () =>
    Effect.gen(function* () {
      const first = yield* connected
      const second = yield* connected
      const link = linkIn((yield* first.ask("the same")).text)
      yield* Effect.promise(async () => decide(await signedIn(link), link, "yes"))
      expect((yield* second.ask("the same")).status).toBe(403)
      expect(yield* second.calls).toBe(0)
      expect((yield* first.ask("the same")).status).toBe(200)
    })
  )
})

layer(gateway, { excludeTestServices: true, timeout: "60 seconds" })("the list of calls that need approval", (it) => {
  it.effect("shows those that wait first, and takes a decision", () =>
    Effect.gen(function* () {
      const { ask, baseUrl, calls, id, sql } = yield* connected
      const { decide: decideBy, list } = own(baseUrl, key)
      for (const query of ["first", "second", "late"]) yield* ask(query)
      yield* sql`UPDATE approvals SET ends_at = 1 WHERE grant_id = ${id} AND id = (SELECT MAX(id) FROM approvals)`
      const before = (yield* list).approvals
      expect(before.map(({ state }) => state)).toEqual(["waiting", "waiting", "ended"])
      const [allowed, refused, ended] = before.map(({ id }) => String(id))
      expect(before[0]).toMatchObject({
        grant: id,
        operation: "rerank",
        request: expect.stringContaining('"query"'),
        own: false,
        decided_at: null,
        call: null
      })
      expect((yield* decideBy(allowed ?? "", "yes")).body).toMatchObject({ state: "allowed" })
      expect((yield* decideBy(refused ?? "", "no")).body).toMatchObject({ state: "refused" })
      expect((yield* decideBy(refused ?? "", "yes")).status).toBe(409)
      expect((yield* decideBy(ended ?? "", "yes")).status).toBe(409)
      expect((yield* decideBy(allowed ?? "", "perhaps")).status).toBe(400)
      expect((yield* decideBy(`ap_${"0".repeat(32)}`, "yes")).status).toBe(404)
      const made = [(yield* ask("first")).status, (yield* ask("second")).status, (yield* ask("late")).status]
      expect(made.filter((status) => status === 200).length).toBe(1)
      expect(yield* calls).toBe(1)
      const states = (yield* list).approvals.filter(({ id }) => id === allowed)
      expect(states).toMatchObject([{ state: "used", call: expect.stringMatching(/^req_/u) }])
    })
  )

  it.effect("is for those who speak for the account, and no program says yes to itself", () =>
    Effect.gen(function* () {
      const { account, accounts, ask, baseUrl, calls, client, grants, id, tokens } = yield* connected
      const waiting =
        linkIn((yield* ask("self")).text)
          .split("/")
          .at(-1) ?? ""
      const agent = own(baseUrl, tokens.access_token)
      expect((yield* agent.list).status).toBe(403)
      expect((yield* agent.decide(waiting, "yes")).status).toBe(403)
      // With the scope that manages grants too.
      const manager = yield* Effect.promise(() => client.signIn({ scope: "use usage grants" }))
      yield* grants.change(id, { askAbove: micro(1n) })
      const managing = own(baseUrl, manager.access_token)
      expect((yield* managing.list).status).toBe(403)
      expect((yield* managing.decide(waiting, "yes")).status).toBe(403)
      // Another application, whose page said that it can spend nothing.
      const harmless = yield* Effect.promise(() => TestClient.register(baseUrl))
      const other = own(baseUrl, (yield* Effect.promise(() => harmless.signIn({ scope: "grants" }))).access_token)
      expect((yield* other.list).status).toBe(403)
      expect((yield* other.decide(waiting, "yes")).status).toBe(403)
      const limited = yield* accounts.createKey(account, { label: "limited", budget: micro(5n) })
      expect((yield* own(baseUrl, Redacted.value(limited.value)).decide(waiting, "yes")).status).toBe(403)
      const stranger = yield* accounts.create("stranger")
      const foreign = own(baseUrl, Redacted.value((yield* accounts.createKey(stranger.id, {})).value))
      expect((yield* foreign.list).approvals).toEqual([])
      expect((yield* foreign.decide(waiting, "yes")).status).toBe(404)
      expect((yield* ask("self")).status).toBe(403)
      expect(yield* calls).toBe(0)
    })
  )

  it.effect("is over if access was taken back", () =>
    Effect.gen(function* () {
      const { ask, baseUrl, grants, id } = yield* connected
      const link = linkIn((yield* ask("of an app whose grant is revoked")).text)
      const browser = yield* Effect.promise(() => signedIn(link))
      const shown = Effect.promise(async () => (await browser.fetch(link)).text())
      expect(yield* shown).toContain('value="yes"')
      const { decide: decideBy, list } = own(baseUrl, key)
      const question = new URL(link).pathname.split("/").at(-1) ?? ""
      const state = Effect.map(list, ({ approvals }) => approvals.find((one) => one["id"] === question)?.["state"])
      expect(yield* state).toBe("waiting")
      yield* grants.revoke(id)
      expect(yield* state).toBe("ended")
      expect((yield* decideBy(question, "yes")).status).toBe(409)
      const after = yield* shown
      expect(after).toContain("The access of this app has ended")
      expect(after).not.toContain('value="yes"')
    })
  )

  it.effect("takes one decision of two that are made at once", () =>
    Effect.gen(function* () {
      const { ask, calls } = yield* connected
      const link = linkIn((yield* ask("in two tabs")).text)
      yield* Effect.promise(async () => {
        const browser = await signedIn(link)
        const token = tokenOf(await (await browser.fetch(link)).text(), link)
        const [yes, no] = await Promise.all([
          browser.post(link, { token, decision: "yes" }),
          browser.post(link, { token, decision: "no" })
        ])
        const { pathname } = new URL(link)
        expect([yes.headers.get("location"), no.headers.get("location")]).toEqual([pathname, pathname])
      })
      const made = yield* ask("in two tabs")
      expect(yield* calls).toBe(made.status === 200 ? 1 : 0)
    })
  )
})
