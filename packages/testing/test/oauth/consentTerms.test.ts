import { expect, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { CurrentGrantPolicy } from "@tollgate/gateway/driver"
import { call } from "@tollgate/testing/oauth/call"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { Browser, formsIn, type Shown } from "@tollgate/testing/oauth/pagesBrowser"
import { key } from "@tollgate/testing/TestGateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Fields = Readonly<Record<string, string>>

const dayMillis = 86_400_000

/** A page of consent, on which nothing is chosen yet. */
const asking = Effect.gen(function* () {
  const gateway = yield* OAuthGateway
  const { account, baseUrl, grants } = gateway
  return yield* Effect.promise(async () => {
    const client = await TestClient.register(baseUrl)
    const browser = new Browser(baseUrl)
    const open = async () => (await browser.open((await client.address("v".repeat(43))).href)) as Shown
    const consent = await browser.submit(await open(), "/sign-in", { key })
    const decide = (fields: Fields, page = consent) =>
      browser.submit(page, new URL(page.url).pathname, { decision: "approve", ...fields })
    const own = Effect.map(grants.list(account), (all) =>
      all.filter((grant) => grant.client.id === client.client.client_id)
    )
    return { ...gateway, browser, client, consent, decide, open, own }
  })
})

/** What a form says back: the words of its errors, or of its sum. */
const saidBy = ({ text }: Shown): ReadonlyArray<string> =>
  [...text.matchAll(/role="(?:alert|status)">([^<]*)</g)].map(([, words = ""]) => words.trim())

layer(OAuthGateway.layer(), { excludeTestServices: true, timeout: "30 seconds" })("the page of consent", (it) => {
  it.effect("shows prices by category, proposes limits, and says the most that can be spent", () =>
    Effect.gen(function* () {
      const { consent, decide, own } = yield* asking
      expect(consent.text).toMatch(/for="category-\d+">\s*rerank <span class="small">\$0\.\d+ \/ /)
      expect(formsIn(consent)[1]?.fields).toMatchObject({
        allow: "all",
        limit: "amount",
        amount: "5.00",
        day: "1.00",
        ask: "",
        days: "30"
      })
      const until = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" })
      const end = until.format(Date.now() + 30 * dayMillis)
      expect(saidBy(consent)).toEqual([`At most $5.00 in total, $1.00 a day, until ${end}.`])

      const shown = yield* Effect.promise(() => decide({ decision: "show", limit: "none", day: "0.10", days: "7" }))
      // Seven days from now touch eight days of UTC.
      expect([shown.status, saidBy(shown)]).toEqual([
        200,
        [`At most $0.80 in total, $0.10 a day, until ${until.format(Date.now() + 7 * dayMillis)}.`]
      ])
      expect(formsIn(shown)[1]?.fields).toMatchObject({ limit: "none", day: "0.10", days: "7" })
      const all = yield* Effect.promise(() => decide({ decision: "show", limit: "none", day: "" }))
      expect(saidBy(all)[0]).toMatch(/^No limit: all of the balance, now \$[\d.]+, and later top-ups, until /)
      expect(yield* own).toEqual([])
    })
  )

  it.effect("shows the prices of single operations that are entered", () =>
    Effect.gen(function* () {
      const { consent, decide, own } = yield* asking
      expect(consent.text).not.toContain("<code>rerank</code>")
      const fields = { decision: "show", allow: "some", operations: "rerank, usage, chat.completions" }
      const { text } = yield* Effect.promise(() => decide(fields))
      expect(text).toMatch(/<code>rerank<\/code>\s+\$0\.\d+ \/ 1M tokens/)
      expect(text).toMatch(/<code>usage<\/code>\s+free/)
      expect(text).toMatch(/<code>chat\.completions<\/code>\s+no price is set yet/)
      expect(yield* own).toEqual([])
    })
  )

  it.effect("grants what was chosen, and nothing else", () =>
    Effect.gen(function* () {
      const { decide, own } = yield* asking
      const before = Date.now()
      const { left } = yield* Effect.promise(() =>
        decide({
          allow: "some",
          "category:social": "yes",
          operations: " chat.completions, embeddings ",
          amount: "2.5",
          day: "0.5",
          ask: "0.000001",
          days: "7"
        })
      )
      expect(left).toContain("code=")
      const [grant] = yield* own
      expect(grant).toMatchObject({
        allowed: { categories: ["social"], operations: ["chat.completions", "embeddings"] },
        limit: 2_500_000n,
        dayLimit: 500_000n,
        askAbove: 1n,
        returnsTo: "127.0.0.1:9"
      })
      expect((grant?.endsAt ?? 0) - before).toBeGreaterThanOrEqual(7 * dayMillis)
      expect((grant?.endsAt ?? 0) - Date.now()).toBeLessThanOrEqual(7 * dayMillis)
    })
  )

  it.effect("refuses forms that were edited or filled in wrongly, keeps what was entered, and grants nothing", () =>
    Effect.gen(function* () {
      const { browser, consent, decide, own } = yield* asking
      const some = { allow: "some" }
      const wrong: ReadonlyArray<readonly [Fields, string]> = [
        [{ amount: "0" }, "Enter an amount in USD"],
        [{ amount: "-5" }, "Enter an amount in USD"],
        [{ amount: "5.00000000000000000000001" }, "Enter an amount in USD"],
        [{ amount: "9".repeat(19) }, "Enter an amount in USD"],
        [{ day: "-1" }, "or leave it empty"],
        [{ day: "0" }, "or leave it empty"],
        [{ day: "1e3" }, "or leave it empty"],
        [{ day: "0.12345678901234567890123" }, "or leave it empty"],
        [{ ask: "-0.01" }, "or leave it empty"],
        [{ ask: "NaN" }, "or leave it empty"],
        [{ days: "" }, "Choose how long"],
        [{ days: "keep" }, "Choose how long"],
        [{ days: "36500" }, "Choose how long"],
        [{ days: "-1" }, "Choose how long"],
        [{ days: "7.5" }, "Choose how long"],
        [{ allow: "" }, "Choose what it may call"],
        [{ allow: "everything" }, "Choose what it may call"],
        [some, "Choose at least one"],
        [{ ...some, "category:everything": "yes" }, "There is no category “everything”"],
        [{ ...some, "category:<script>": "yes" }, "There is no category “&lt;script&gt;”"],
        [{ ...some, operations: "rerank, no_such_operation" }, "There is no operation “no_such_operation”"],
        [{ allow: "all", "category:social": "yes" }, "say that it may call only these"]
      ]
      for (const [fields, words] of wrong) {
        const again = yield* Effect.promise(() => decide(fields))
        expect([again.status, again.left], JSON.stringify(fields)).toEqual([400, undefined])
        expect(again.text).toContain(words)
        expect(again.text).toContain("<title>Error: ")
        expect(saidBy(again).at(-1)).toBe("Correct what is marked above.")
      }
      // What was entered is kept, except what may be a secret.
      const again = yield* Effect.promise(() => decide({ ...some, "category:social": "yes", day: "x", ask: "0.25" }))
      expect(formsIn(again)[1]?.fields).toMatchObject({
        allow: "some",
        "category:social": "yes",
        day: "x",
        ask: "0.25"
      })
      const pasted = yield* Effect.promise(() => decide({ day: key, operations: key, ask: "tg_short" }))
      expect(pasted.text).not.toContain(key)
      expect(pasted.text).not.toContain("tg_short")

      // A form without a field is not complete, and one with a field twice is not valid.
      const form = formsIn(consent)[1]
      const { day = "", ...rest }: Fields = { ...form?.fields, decision: "approve" }
      const post = (...fields: ReadonlyArray<readonly [string, string]>) =>
        Effect.promise(() =>
          browser.open(form?.action ?? "", {
            method: "POST",
            body: new URLSearchParams([...Object.entries(rest), ...fields].map(([name, value]) => [name, value]))
          })
        )
      expect((yield* post()).text).toContain("This form is not complete.")
      expect((yield* post(["day", day], ["day", "1000"])).text).toContain("This form is not valid")
      expect(yield* own).toEqual([])
    })
  )

  it.effect("proposes to a client that asks again what it has, and counts what it spent", () =>
    Effect.gen(function* () {
      const { baseUrl, client, decide, open, own, sql } = yield* asking
      const first = yield* Effect.promise(() => client.signIn({ fields: { day: "0.20", ask: "0.10" }, limit: "3" }))
      expect((yield* Effect.promise(() => call(baseUrl, first.access_token))).status).toBe(200)
      const [grant] = yield* own
      yield* sql`UPDATE keys SET spent = ${1_000_000} WHERE id = ${grant?.id ?? ""}`
      const again = yield* Effect.promise(open)
      expect(again.text).toContain("already has access ($1.00 of $3.00 spent)")
      expect(formsIn(again)[1]?.fields).toMatchObject({ amount: "3.00", day: "0.20", ask: "0.10", days: "30" })
      expect(saidBy(again)[0]).toMatch(/^At most \$2\.00 more in total, \$0\.20 a day, until /)
      // One that has spent all is proposed more.
      yield* sql`UPDATE keys SET spent = ${3_000_000} WHERE id = ${grant?.id ?? ""}`
      const over = yield* Effect.promise(open)
      expect(formsIn(over)[1]?.fields).toMatchObject({ amount: "8.00" })
      expect(saidBy(over)[0]).toMatch(/^At most \$5\.00 more in total/)

      // Two tabs: what is approved last holds, for one grant.
      const other = yield* Effect.promise(open)
      yield* Effect.promise(() => decide({ amount: "4" }, over))
      yield* Effect.promise(() => decide({ amount: "6" }, other))
      expect(yield* own).toMatchObject([{ id: grant?.id, limit: 6_000_000n }])
    })
  )
})

const bounded = OAuthGateway.layer().pipe(
  Layer.provide(
    Layer.succeed(CurrentGrantPolicy, {
      proposed: { limit: null, dayLimit: null, askAbove: null, days: 7 },
      most: { limit: micro(10_000_000n), dayLimit: micro(2_000_000n), askAbove: micro(500_000n), days: 45 }
    })
  )
)

layer(bounded, { excludeTestServices: true, timeout: "30 seconds" })("the operator's bounds", (it) => {
  it.effect("are proposed where nothing lower is, and cannot be exceeded", () =>
    Effect.gen(function* () {
      const { consent, decide, own } = yield* asking
      expect(formsIn(consent)[1]?.fields).toMatchObject({ amount: "10.00", day: "2.00", ask: "0.50", days: "7" })
      expect([...consent.text.matchAll(/<option value="(\d+)"/g)].map(([, days]) => days)).toEqual([
        "1",
        "7",
        "30",
        "45"
      ])
      for (const [fields, words] of [
        [{ limit: "none" }, "at most $10.00 in total"],
        [{ amount: "10.000001" }, "at most $10.00 in total"],
        [{ day: "" }, "at most $2.00 a day"],
        [{ day: "2.01" }, "at most $2.00 a day"],
        [{ ask: "" }, "every call above $0.50 needs approval"],
        [{ ask: "0.51" }, "every call above $0.50 needs approval"],
        [{ days: "90" }, "Choose how long"]
      ] as const) {
        const again = yield* Effect.promise(() => decide(fields))
        expect([again.status, again.text.includes(words)], JSON.stringify(fields)).toEqual([400, true])
      }
      expect(yield* own).toEqual([])
      yield* Effect.promise(() => decide({ days: "45" }))
      expect(yield* own).toMatchObject([{ limit: 10_000_000n, dayLimit: 2_000_000n, askAbove: 500_000n }])
    })
  )
})
