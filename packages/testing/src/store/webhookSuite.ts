import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Ledger, LedgerSql } from "@tollgate/gateway"
import { type Endpoint, Endpoints, Webhooks } from "@tollgate/ledger/outbox/Endpoints"
import { eventTypes } from "@tollgate/ledger/outbox/Event"
import * as Marks from "@tollgate/ledger/outbox/Marks"
import * as Outbox from "@tollgate/ledger/outbox/Outbox"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { differences, funded, ledgerOn, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver, Store } from "./Driver.ts"

const endpointOf = (id: string, settings: Partial<Endpoint> = {}): Endpoint => ({
  id,
  url: `https://${id}.example.com/hook`,
  private: false,
  secrets: [],
  events: eventTypes,
  ...settings
})

/** An account with 1,000 micro-USD, and a key. */
const small = Effect.gen(function* () {
  const owner = yield* funded
  const { balance } = yield* owner.accounts.get(owner.account)
  yield* owner.accounts.adjust(owner.account, 1_000n - balance, "all but")
  return owner
})

const spend = (account: string, key: string, micros: number) =>
  Effect.flatMap(reserved(account, key, 1), (call) => settle(call, micros))

interface Told extends Record<string, unknown> {
  readonly endpoint: string
  readonly type: string
}

/** The type and the data of each message, in order. */
const told = Effect.gen(function* () {
  const entries = yield* (yield* Outbox.make).list(undefined, 1_000)
  return entries.toReversed().map(({ body, endpoint }): Told => {
    const { data, type } = JSON.parse(body) as { readonly type: string; readonly data: Record<string, unknown> }
    return { endpoint, type, ...data }
  })
})

export const webhookSuite = ({ shared, single }: Driver): void => {
  const on = (store: Store, ...endpoints: ReadonlyArray<Endpoint>) =>
    ledgerOn(store).pipe(Layer.provideMerge(Layer.succeed(Webhooks, new Endpoints(endpoints))))

  describe("the outbox of webhooks", () => {
    it.effect("tells once that a balance fell below the threshold, and again after it was above", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* small
        yield* spend(account, key, 500)
        expect(yield* told).toEqual([])
        yield* spend(account, key, 1)
        yield* spend(account, key, 100)
        yield* accounts.topUp(account, micro(100n), "not enough")
        yield* spend(account, key, 100)
        const first = {
          endpoint: "one",
          type: "balance.low",
          account,
          balance_micros_usd: 499,
          threshold_micros_usd: 500
        }
        expect(yield* told).toEqual([first])
        yield* accounts.topUp(account, micro(101n), "exactly")
        yield* TestClock.adjust(1)
        yield* spend(account, key, 700)
        expect(yield* told).toEqual([first, { ...first, balance_micros_usd: -200 }])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(on(single(), endpointOf("one", { balanceBelow: 500n }), endpointOf("two"))))
    )

    it.effect("tells each endpoint of its own threshold, also when an operator takes money from the account", () =>
      Effect.gen(function* () {
        const { account, accounts } = yield* small
        yield* accounts.adjust(account, -950n, "taken")
        yield* accounts.adjust(account, -50n, "taken")
        const low = { type: "balance.low", account, balance_micros_usd: 50 }
        expect((yield* told).toSorted((a, b) => a.endpoint.localeCompare(b.endpoint))).toEqual([
          { ...low, endpoint: "five", threshold_micros_usd: 500 },
          { ...low, endpoint: "one", threshold_micros_usd: 100 }
        ])
      }).pipe(
        Effect.provide(
          on(
            single(),
            endpointOf("five", { balanceBelow: 500n }),
            endpointOf("one", { balanceBelow: 100n }),
            endpointOf("none", { balanceBelow: 500n, events: ["call.unknown"] })
          )
        )
      )
    )

    it.effect("tells each level of a budget once, for a key and those that it was rotated into", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { budget: micro(100n) })
        const rotated = yield* accounts.rotateKey(key, 1_000_000)
        const levels = Effect.map(told, (all) => all.map(({ percent }) => percent))
        yield* spend(account, key, 79)
        expect(yield* levels).toEqual([])
        yield* spend(account, rotated.id, 1)
        expect(yield* told).toEqual([
          {
            endpoint: "one",
            type: "budget.reached",
            account,
            key,
            percent: 80,
            spent_micros_usd: 80,
            budget_micros_usd: 100
          }
        ])
        yield* TestClock.adjust(1)
        yield* spend(account, key, 19)
        expect(yield* levels).toEqual([80])
        yield* spend(account, key, 5)
        expect(yield* levels).toEqual([80, 100])
        yield* TestClock.adjust(1)
        yield* accounts.changeKey(key, { budget: micro(1_000n) })
        expect(yield* levels).toEqual([80, 100])
        yield* spend(account, key, 900)
        expect((yield* levels).toSorted()).toEqual([100, 100, 80, 80])
        yield* TestClock.adjust(1)
        yield* accounts.changeKey(key, { budget: micro(5_000n) })
        yield* accounts.changeKey(key, { budget: micro(1_200n) })
        expect((yield* told).at(-1)).toMatchObject({ percent: 80, spent_micros_usd: 1_004, budget_micros_usd: 1_200 })
        expect(yield* levels).toHaveLength(5)
      }).pipe(Effect.provide(on(single(), endpointOf("one"))))
    )

    it.effect("tells of a call whose outcome is unknown, and not again when it ends after all", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const call = yield* reserved(account, key, 10)
        yield* ledger.markUnknown(call, { provider: "films" })
        yield* ledger.markUnknown(call)
        yield* settle(call, 3)
        yield* settle(call, 3)
        expect(yield* told).toEqual([
          {
            endpoint: "one",
            type: "call.unknown",
            account,
            key,
            request_id: call.call,
            operation: "rerank",
            upstream: "films",
            reserved_micros_usd: 10
          }
        ])
      }).pipe(Effect.provide(on(single(), endpointOf("one"), endpointOf("two", { events: ["balance.low"] }))))
    )

    it.effect("tells each crossing once if many calls end in the same moment", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* small
        yield* accounts.changeKey(key, { budget: micro(1_000n) })
        const calls = yield* Effect.forEach(Array(100).keys(), () => reserved(account, key, 10))
        yield* Effect.forEach(calls, (call) => settle(call, 10), { concurrency: "unbounded" })
        const all = yield* told
        expect(all.map(({ type }) => type).toSorted()).toEqual(["balance.low", "budget.reached", "budget.reached"])
        expect(all.find(({ type }) => type === "balance.low")).toMatchObject({ balance_micros_usd: 490 })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(on(single(), endpointOf("one", { balanceBelow: 500n }))))
    )

    it.effect("loses nothing and tells nothing twice if the gateway is killed", () =>
      Effect.gen(function* () {
        const connect = shared()
        const endpoint = endpointOf("one", { balanceBelow: 500n })
        // Its scope is never closed, so that none of its finalizers runs.
        const killed = yield* Layer.buildWithScope(on(connect(), endpoint), yield* Scope.make())
        const { account, key } = yield* Effect.gen(function* () {
          const owner = yield* small
          yield* spend(owner.account, owner.key, 600)
          yield* reserved(owner.account, owner.key, 20)
          return owner
        }).pipe(Effect.provideContext(killed))
        // The command line, which knows nothing of webhooks, moves the journal into the tables.
        yield* Effect.provide(LedgerSql.checkpoint, connect())
        yield* Effect.gen(function* () {
          yield* spend(account, key, 100)
          expect((yield* told).map(({ type }) => type).toSorted()).toEqual(["balance.low", "call.unknown"])
        }).pipe(Effect.provide(on(connect(), endpoint)))
        yield* Effect.gen(function* () {
          yield* spend(account, key, 100)
          expect(yield* told).toHaveLength(2)
          expect(yield* differences).toEqual([])
        }).pipe(Effect.provide(on(connect(), endpoint)))
      })
    )

    it.effect("writes nothing without endpoints", () =>
      Effect.gen(function* () {
        const { account, key } = yield* small
        yield* spend(account, key, 999)
        const ledger = yield* Ledger
        yield* ledger.markUnknown(yield* reserved(account, key, 1))
        expect(yield* told).toEqual([])
      }).pipe(Effect.provide(on(single())))
    )

    it.effect("tells of an upstream once, however many gateways find it down or up", () =>
      Effect.gen(function* () {
        const [here, there] = [yield* Marks.make, yield* Marks.make]
        const types = Effect.map(told, (all) => all.map(({ type, upstream }) => `${type} ${String(upstream)}`))
        yield* here.upstream("films", true)
        expect(yield* types).toEqual([])
        yield* Effect.all([here.upstream("films", false), there.upstream("films", false)], { concurrency: 2 })
        expect(yield* types).toEqual(["upstream.down films"])
        yield* TestClock.adjust(1)
        yield* here.upstream("other", true)
        yield* Effect.all([here.upstream("films", true), there.upstream("films", true)], { concurrency: 2 })
        expect(yield* types).toEqual(["upstream.down films", "upstream.up films"])
        yield* TestClock.adjust(1)
        yield* there.upstream("films", false)
        // Whoever told it may never tell that it is up again.
        yield* TestClock.adjust("59 minutes")
        yield* here.upstream("films", false)
        expect(yield* types).toHaveLength(3)
        yield* TestClock.adjust("1 minute")
        yield* here.upstream("films", false)
        expect(yield* types).toHaveLength(4)
      }).pipe(Effect.provide(Layer.provideMerge(SecureRandom.layerWebCrypto, on(single(), endpointOf("one")))))
    )

    it.effect("tells of differences in the books once, until they change", () =>
      Effect.gen(function* () {
        const { audited } = yield* Marks.make
        const difference = { table: "accounts", column: "balance", id: "acct_1", stored: 5n, expected: 7n }
        const counts = Effect.map(told, (all) => all.map(({ count }) => count))
        yield* audited([])
        yield* audited([difference])
        yield* TestClock.adjust(1)
        yield* audited([difference])
        expect(yield* told).toEqual([
          {
            endpoint: "one",
            type: "audit.difference",
            count: 1,
            differences: [{ ...difference, stored: 5, expected: 7 }]
          }
        ])
        yield* audited(Array.from({ length: 1_000 }, (_, i) => ({ ...difference, id: `acct_${i}` })))
        expect(yield* counts).toEqual([1, 1_000])
        expect((yield* told)[1]?.differences).toHaveLength(10)
        yield* TestClock.adjust(1)
        yield* audited([])
        yield* audited([difference])
        expect(yield* counts).toEqual([1, 1_000, 1])
      }).pipe(Effect.provide(Layer.provideMerge(SecureRandom.layerWebCrypto, on(single(), endpointOf("one")))))
    )

    it.effect("is shared by several gateways: none takes what another is sending", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const calls = yield* Effect.forEach(Array(30).keys(), () => reserved(account, key, 1))
        yield* Effect.forEach(calls, (call) => ledger.markUnknown(call), { concurrency: "unbounded" })
        const [here, there] = [yield* Outbox.make, yield* Outbox.make]
        const claims = yield* Effect.forEach([here, there, here, there, here], (box) => box.claim("one", 8, 1_000), {
          concurrency: "unbounded"
        })
        const ids = claims.flat().map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        const rest = yield* here.claim("one", 100, 1_000)
        expect(ids.length + rest.length).toBe(30)
        expect(yield* here.claim("two", 8, 1_000)).toEqual([])
        yield* TestClock.adjust(999)
        expect(yield* here.claim("one", 8, 2_000)).toEqual([])
        yield* TestClock.adjust(1)
        expect(yield* here.claim("one", 100, 2_000)).toHaveLength(30)
      }).pipe(Effect.provide(on(single(), endpointOf("one"))))
    )

    it.effect("keeps what was delivered for 7 days, and what failed for 30", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const outbox = yield* Outbox.make
        for (let i = 0; i < 3; i++) yield* ledger.markUnknown(yield* reserved(account, key, 1))
        const [delivered, failed] = (yield* outbox.list()).map(({ id }) => id)
        yield* outbox.record(delivered!, { state: "delivered", result: "status 200", nextAt: 0 })
        yield* outbox.record(failed!, { state: "failed", result: "status 500", nextAt: 0 })
        const left = Effect.gen(function* () {
          yield* outbox.deleteOld
          return (yield* outbox.list()).map(({ state }) => state).toSorted()
        })
        yield* TestClock.adjust(7 * 86_400_000 - 1)
        expect(yield* left).toEqual(["delivered", "failed", "pending"])
        yield* TestClock.adjust(1)
        expect(yield* left).toEqual(["failed", "pending"])
        yield* TestClock.adjust(23 * 86_400_000 - 1)
        expect(yield* left).toEqual(["failed", "pending"])
        yield* TestClock.adjust(1)
        expect(yield* left).toEqual([])
      }).pipe(Effect.provide(on(single(), endpointOf("one"))))
    )

    it.effect("sends again what an operator asks for", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const outbox = yield* Outbox.make
        for (let i = 0; i < 3; i++) yield* ledger.markUnknown(yield* reserved(account, key, 1))
        const ids = (yield* outbox.list()).map(({ id }) => id)
        yield* outbox.record(ids[0]!, { state: "delivered", result: "status 200", nextAt: 0 })
        yield* outbox.record(ids[1]!, { state: "failed", result: "status 500", nextAt: 0 })
        yield* outbox.record(ids[2]!, { state: "failed", result: "status 500", nextAt: 0 })
        expect((yield* outbox.list("failed")).map(({ id }) => id).toSorted()).toEqual(ids.slice(1).toSorted())
        yield* TestClock.adjust(5)
        expect(yield* outbox.resend(ids[0]!)).toMatchObject({
          id: ids[0],
          state: "pending",
          attempts: 0,
          nextAt: 5,
          endedAt: null
        })
        expect(yield* outbox.resend("msg_none")).toBeUndefined()
        expect(yield* outbox.resendFailed).toBe(2)
        expect(yield* outbox.resendFailed).toBe(0)
        expect(yield* outbox.claim("one", 8, 100)).toHaveLength(3)
      }).pipe(Effect.provide(on(single(), endpointOf("one"))))
    )
  })
}
