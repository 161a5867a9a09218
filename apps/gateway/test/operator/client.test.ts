import type { Client } from "@tollgate/client"
import * as account from "@tollgate/client/account"
import * as admin from "@tollgate/client/admin"
import { NodeClient } from "@tollgate/node/effect"
import { dropping } from "@tollgate/testing/client/dropping"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { rerank } from "../program.ts"
import { operatedGateway } from "./setup.ts"

const { account: accountId, address, caller, token } = operatedGateway()

/** With the operator's token. */
const run = <A, E>(effect: Effect.Effect<A, E, Client>, baseUrl = address(), credential = token): Promise<A> =>
  Effect.runPromise(
    Effect.provide(effect, NodeClient.layer({ credential, baseUrl, pace: false, retry: { backoffMillis: 1 } }))
  )

describe("the client's functions for operators", () => {
  it("create and change accounts and keys", async () => {
    const made = await run(admin.createAccount("Acme"))
    expect(made).toMatchObject({ label: "Acme", tier: "Free" })
    expect(await run(admin.changeAccount(made.id, { tier: "Growth", multiplier: "1.2" }))).toMatchObject({
      tier: "Growth",
      multiplier: "1.2"
    })
    expect((await run(admin.accounts())).accounts.map(({ id }) => id)).toContain(made.id)
    const key = await run(admin.createKey(made.id, { label: "k", budget_micros_usd: 5 }))
    expect(key).toMatchObject({ account: made.id, budget_micros_usd: 5, key: expect.stringMatching(/^tg_/) })
    expect(await run(admin.changeKey(key.id, { budget_micros_usd: null }))).toMatchObject({ budget_micros_usd: null })
    const rotated = await run(admin.rotateKey(key.id, 60))
    expect((await run(admin.keys(made.id))).keys.map(({ id }) => id)).toEqual([key.id, rotated.id])
    expect(await run(admin.key(key.id))).toMatchObject({ id: key.id, budget_micros_usd: null })
    expect((await run(admin.revokeKey(rotated.id))).ends_at).not.toBeNull()
    expect((await run(admin.keys())).keys.length).toBeGreaterThan(2)
    expect(await run(admin.account(made.id))).toMatchObject({ id: made.id, tier: "Growth" })
  })

  it("book once, although the answer is lost or the effect is run again", async () => {
    const { id } = await run(admin.createAccount("Paying"))
    const balance = async () => (await run(admin.account(id))).balance_micros_usd
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const proxy = yield* dropping(address(), 2)
          const paid = admin.topUp(id, { amount_micros_usd: 1_000_000, note: "invoice 7" })
          yield* Effect.promise(() => run(paid, proxy.baseUrl))
          expect(proxy.dropped()).toBe(2)
          yield* Effect.promise(() => run(Effect.andThen(paid, paid)))
        })
      )
    )
    expect(await balance()).toBe(6_000_000)
    await run(admin.topUp(id, { amount_micros_usd: 1_000_000 }))
    await run(admin.adjust(id, { amount_micros_usd: -500_000, note: "back", id: "back" }))
    await run(admin.adjust(id, { amount_micros_usd: -500_000, note: "back", id: "back" }))
    expect(await balance()).toBe(6_500_000)
    const { entries } = await run(admin.entries(id))
    expect(entries.map(({ amount_micros_usd, kind }) => [kind, amount_micros_usd])).toEqual(
      expect.arrayContaining([
        ["adjustment", -500_000],
        ["topup", 1_000_000],
        ["topup", 1_000_000],
        ["credit", 5_000_000]
      ])
    )
    expect(entries).toHaveLength(4)
  })

  it("show upstreams, prices, calls, the books and the configuration", async () => {
    await rerank(address(), caller().key)
    expect((await run(admin.upstreams())).upstreams).toMatchObject([{ name: "sandbox" }])
    expect((await run(admin.prices())).prices.length).toBeGreaterThan(10)
    expect((await run(admin.previewPrices({ prices: {} }))).totals.calls).toBe(1)
    expect((await run(admin.grants())).grants).toEqual([])
    expect(await run(admin.webhooks({ state: "failed", limit: 5 }))).toEqual({ endpoints: [], webhooks: [] })
    expect((await run(admin.configuration())).file).toBeNull()
    expect(await run(admin.checkConfiguration())).toMatchObject({ valid: true })
    expect(await run(admin.reloadConfiguration())).toMatchObject({ valid: true, in_force: true })
    const { calls } = await run(admin.accountCalls(accountId(), { limit: 5, operation: "rerank" }))
    const all = await run(admin.calls({ account: accountId(), limit: 5 }))
    expect(all.calls).toMatchObject([{ id: calls[0]?.id, account: accountId() }])
    expect(await run(admin.overview())).toMatchObject({ upstreams: [{ name: "sandbox" }], latency: { calls: 1 } })
    const find = async (q: string) =>
      (await run(admin.search({ q }))).found.map(({ id, kind, path }) => [kind, id, path])
    const story = `/accounts/${accountId()}/calls/${calls[0]?.id}`
    expect(await find(calls[0]?.id ?? "")).toEqual([["call", calls[0]?.id, story]])
    expect(await find("/v1/rerank")).toEqual([["operation", "rerank", "/calls?operation=rerank"]])
    expect(await run(admin.accountCallStory(accountId(), calls[0]?.id ?? ""))).toMatchObject({ operation: "rerank" })
    const start_time = Math.floor(Date.now() / 1000) - 3_600
    expect((await run(admin.accountUsage(accountId(), { start_time }))).totals.requests).toBe(1)
    expect(await run(admin.audit())).toMatchObject({ correct: true })
    expect(await run(admin.gateways())).toEqual({ gateways: [] })
  })

  it("read the documents of the gateway's own APIs", async () => {
    expect(await run(admin.openApi())).toMatchObject({ info: { title: "Admin API" } })
    const document = await run(account.openApi(), address(), caller().key)
    expect(document).toMatchObject({ info: { title: "Account API" } })
  })

  it("fail with the gateway's typed errors", async () => {
    const tagOf = async (effect: Effect.Effect<unknown, admin.AdminError, Client>, credential = token) =>
      Result.match(await run(Effect.result(effect), address(), credential), {
        onFailure: ({ _tag }) => _tag,
        onSuccess: () => "none"
      })
    expect(await tagOf(admin.account("acct_none"))).toBe("NotFound")
    expect(await tagOf(admin.accounts(), caller().key)).toBe("Unauthenticated")
    expect(await tagOf(admin.revokeGrant("gr_none"))).toBe("NotFound")
    expect(await tagOf(admin.resendWebhook("msg_none"))).toBe("NotFound")
    expect(await tagOf(admin.previewPrices({ prices: { models: 1 } }))).toBe("InvalidRequest")
    expect(await tagOf(admin.topUp(accountId(), { amount_micros_usd: -1 }))).toBe("InvalidRequest")
  })

  it("show usage by tag, of an account and of all", async () => {
    const window = { start_time: Math.floor(Date.now() / 1000) - 86_400, tag: "team" }
    await rerank(address(), caller().key, { "x-tollgate-tags": "team=operators" })
    for (const found of [admin.usageByTag(window), admin.accountUsageByTag(accountId(), window)]) {
      expect((await run(found)).groups).toMatchObject([{ id: "operators", totals: { requests: 1 } }])
    }
  })

  it("take payments back and refund calls, once", async () => {
    const { id } = await run(admin.createAccount("Refunded"))
    const { key } = await run(admin.createKey(id, {}))
    await run(admin.topUp(id, { amount_micros_usd: 2_000_000 }))
    const reversed = admin.reversePayment(id, { amount_micros_usd: 1_500_000, note: "chargeback" })
    await run(Effect.andThen(reversed, reversed))
    expect(await run(admin.account(id))).toMatchObject({
      balance_micros_usd: 5_500_000,
      topped_up_micros_usd: 500_000,
      tier: "Starter"
    })
    const call = (await rerank(address(), key, {}, undefined, "word ".repeat(2_000))).headers.get("x-request-id") ?? ""
    const charged = 5_500_000 - Number((await run(admin.account(id))).balance_micros_usd)
    const refunded = admin.refundCall(id, { call, note: "wrong answer" })
    await run(Effect.andThen(refunded, refunded))
    expect((await run(admin.account(id))).balance_micros_usd).toBe(5_500_000)
    expect((await run(admin.entries(id))).entries).toContainEqual({
      id: `refund_${call}`,
      kind: "refund",
      amount_micros_usd: charged,
      call,
      note: "wrong answer",
      at: expect.any(String)
    })
    const other = await run(admin.createAccount("Other"))
    const wrong = await run(Effect.result(admin.refundCall(other.id, { call, note: "not theirs" })))
    expect(Result.isFailure(wrong)).toBe(true)
  })
})
