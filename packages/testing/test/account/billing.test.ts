import { describe, expect, it } from "@effect/vitest"
import type { AccountBalance, Statement, Statements, Transactions } from "@tollgate/contract/account/Billing"
import type { Profile } from "@tollgate/contract/account/Profile"
import { micro } from "@tollgate/contract/Money"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const november = Date.UTC(2026, 10, 19, 12)

const layer = () =>
  Host.layerInProcess.pipe(
    Layer.provideMerge(TestGateway.layer()),
    Layer.provide(Layer.effectDiscard(TestClock.setTime(november)))
  )

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })
const get = (path: string, credential = key) => ask("GET", `/account/v1${path}`, bearer(credential))
const read = <A>(path: string, credential = key) =>
  Effect.map(get(path, credential), (answer) => {
    expect(answer.status, answer.text).toBe(200)
    return answer.json() as A
  })

const paths = ["/balance", "/transactions", "/statements", "/statements/2026-11", "/statements/2026-11/csv"]

/** Costs some micro-USD. */
const question = JSON.stringify({ query: "river", documents: ["river mountain sea shore ".repeat(50)] })

describe("the account's money", () => {
  it.effect("is what its calls were charged and what the operator booked, as JSON and as CSV", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const paid = yield* ask("POST", "/v1/rerank", bearer(key), question)
      const charged = Number(paid.headers["x-tollgate-cost-micros-usd"])
      expect(charged).toBeGreaterThan(0)
      yield* accounts.topUp(account, micro(25_000_000n), '=SUM(1,2) "invoice, 7"', "invoice-7")
      yield* accounts.refund(paid.headers["x-request-id"] ?? "", "the answer was empty")
      const { balance } = yield* accounts.get(account)
      const { transactions } = yield* read<Transactions>("/transactions")
      const refund = transactions.find(({ kind }) => kind === "refund")
      expect(refund).toMatchObject({ call: paid.headers["x-request-id"], amount_micros_usd: charged })
      expect(transactions[0]).toEqual({
        id: "2026-11-19",
        kind: "charges",
        at: "2026-11-19T00:00:00.000Z",
        amount_micros_usd: -charged,
        call: null,
        note: "",
        requests: 1,
        balance_micros_usd: Number(balance)
      })
      expect(yield* read<AccountBalance>("/balance")).toMatchObject({
        balance_micros_usd: Number(balance),
        is_low: false
      })
      const { months } = yield* read<Statements>("/statements")
      expect(months).toHaveLength(1)
      const statement = yield* read<Statement>("/statements/2026-11")
      expect(statement).toMatchObject({ ...months[0], account, closing_micros_usd: Number(balance) })
      expect(statement.by_operation).toMatchObject([{ operation: "rerank", charged_micros_usd: charged }])
      const csv = yield* get("/statements/2026-11/csv")
      expect([csv.status, csv.headers["content-type"], csv.headers["cache-control"]]).toEqual([
        200,
        "text/csv; charset=utf-8",
        "no-store"
      ])
      // A spreadsheet shows the note, and does not calculate it.
      expect(csv.text).toContain(`,"'=SUM(1,2) ""invoice, 7""",25000000,25,`)
      expect(csv.text.trimEnd().split("\r\n").at(-1)).toMatch(new RegExp(`^closing,,,,,0,0,${balance},`))
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is not shown to a key with a budget or a quota, nor to another account", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      for (const terms of [{ budget: micro(5n) }, { dayBudget: micro(5n) }]) {
        const { value } = yield* accounts.createKey(account, { label: "", ...terms })
        for (const path of paths) {
          const refused = yield* get(path, Redacted.value(value))
          expect([refused.status, refused.text], path).toEqual([403, expect.stringContaining('"access_denied"')])
        }
      }
      const other = yield* accounts.create("another")
      const { value } = yield* accounts.createKey(other.id, { label: "" })
      const { transactions } = yield* read<Transactions>("/transactions", Redacted.value(value))
      expect(transactions.map(({ kind, note }) => [kind, note])).toEqual([["credit", "signup credit"]])
      for (const path of ["/statements/2026-10", "/statements/2026-12/csv", "/statements/x"]) {
        expect((yield* get(path)).status, path).toBe(404)
      }
      for (const path of ["/transactions?limit=0", "/transactions?before=x", "/transactions?from=1"]) {
        expect((yield* get(path)).status, path).toBe(400)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("is shown to the console, whatever its own limit, and to no other app with one", () =>
    Effect.gen(function* () {
      const { account, accounts, baseUrl, sql } = yield* OAuthGateway
      const { balance } = yield* accounts.get(account)
      const seen = async (token: string) => {
        const ask = (path: string) => fetch(`${baseUrl}/account/v1${path}`, { headers: bearer(token) })
        const profile = (await (await ask("")).json()) as Partial<Profile>
        return [profile.account?.balance_micros_usd, (await ask("/transactions")).status]
      }
      yield* Effect.promise(async () => {
        const signIn = async (asking: { readonly scope: string; readonly limit: string | null }) =>
          (await (await TestClient.register(baseUrl)).signIn(asking)).access_token
        expect(await seen(await signIn({ scope: "use", limit: null }))).toEqual([undefined, 403])
        expect(await seen(await signIn({ scope: "use usage", limit: null }))).toEqual([Number(balance), 200])
        const limited = await signIn({ scope: "usage", limit: "1" })
        expect(await seen(limited)).toEqual([null, 403])
        await Effect.runPromise(sql`UPDATE grants SET client_id = 'console'`)
        expect(await seen(limited)).toEqual([Number(balance), 200])
      })
    }).pipe(Effect.provide(OAuthGateway.layer()))
  )
})
