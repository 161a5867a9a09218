import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Audit } from "@tollgate/gateway"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { ask, type Answer } from "@tollgate/testing/ask"
import { differences, funded, ledgerInMemory, reserve, reserved, settle } from "@tollgate/testing/ledger/ledgerOn"

const day = 86_400_000

const gateway = Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer()))

/** Can cost 63 micro-USD at most. */
const expensive = JSON.stringify({ query: "river mountain sea", documents: ["river mountain sea shore ".repeat(50)] })
const most = 63n

const slow = (credential: string) =>
  ask(
    "POST",
    "/v1/rerank",
    { authorization: `Bearer ${credential}`, "x-tollgate-scenario": "slow; ms=1000" },
    expensive
  )

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

it.effect("200 requests at once on four rotations of a key spend no more than its budget", () =>
  Effect.gen(function* () {
    const { account, accounts, billingLog, sql } = yield* TestGateway
    const [first] = yield* accounts.listKeys(account)
    yield* accounts.changeKey(first!.id, { budget: micro(7n * most) })
    const second = yield* accounts.rotateKey(first!.id, day)
    const third = yield* accounts.rotateKey(second.id, day)
    const again = yield* accounts.rotateKey(first!.id, day)
    const credentials = [key, ...[second, third, again].map(({ value }) => Redacted.value(value))]
    const answers: Array<Answer> = []
    const asking = yield* Effect.forkChild(
      Effect.forEach(
        Array.from({ length: 200 }, (_, i) => credentials[i % 4]!),
        (credential) => Effect.map(slow(credential), (answer) => answers.push(answer)),
        { concurrency: "unbounded" }
      )
    )
    // No call ends and releases its reservation before all are decided.
    while (answers.length < 193) yield* turn
    expect((yield* accounts.getKey(third.id)).reserved).toBe(7n * most)
    while (asking.pollUnsafe() === undefined) yield* Effect.andThen(TestClock.adjust("1 second"), turn)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(193)
    expect(yield* billingLog.count).toBe(7)
    expect((yield* Effect.provideService(Audit.run, SqlClient, sql)).differences).toEqual([])
  }).pipe(Effect.provide(gateway))
)

describe("rotated keys", () => {
  it.effect("share one budget and one spent amount, and changed terms apply to all", () =>
    Effect.gen(function* () {
      const { account, accounts, key: first } = yield* funded
      yield* accounts.changeKey(first, {
        label: "prod",
        budget: micro(100n),
        dayBudget: micro(50n)
      })
      yield* settle(yield* reserved(account, first, 10), 10)
      yield* TestClock.adjust(1)
      const second = (yield* accounts.rotateKey(first, day)).id
      yield* settle(yield* reserved(account, second, 20), 20)
      yield* TestClock.adjust(1)
      const third = (yield* accounts.rotateKey(second, day)).id
      yield* reserved(account, third, 5)
      yield* TestClock.adjust(1)
      const other = (yield* accounts.createKey(account, { budget: micro(1n) })).id

      const shared = { rootKey: first, spent: 30n, reserved: 5n, budget: 100n, dayBudget: 50n }
      expect(yield* accounts.listKeys(account)).toMatchObject([
        ...[first, second, third].map((id) => ({ id, label: "prod", ...shared })),
        { id: other, rootKey: other, spent: 0n, reserved: 0n, budget: 1n, dayBudget: null }
      ])
      yield* accounts.changeKey(second, { label: "new", budget: micro(36n) })
      expect(yield* accounts.getKey(second)).toMatchObject({ label: "new", budget: 36n })
      expect(yield* accounts.getKey(third)).toMatchObject({ label: "prod", budget: 36n })
      for (const one of [first, second, third]) expect(yield* reserve(account, one, 2)).toBe("balance_reserved")
      expect(yield* reserve(account, first, 1)).toMatchObject({ amount: 1n })
      expect(yield* reserve(account, second, 1)).toBe("balance_reserved")
      expect(yield* reserve(account, second, 7)).toBe("over_budget")
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(ledgerInMemory))
  )

  it.effect("share one quota a period, also after the first key has ended", () =>
    Effect.gen(function* () {
      const { account, accounts, key: first } = yield* funded
      yield* accounts.changeKey(first, { dayBudget: micro(10n) })
      const underWay = yield* reserved(account, first, 4)
      const second = (yield* accounts.rotateKey(first, 0)).id
      yield* settle(yield* reserved(account, second, 6), 6)
      expect(yield* reserve(account, second, 1)).toBe("balance_reserved")
      yield* settle(underWay, 3)
      expect(yield* reserve(account, second, 2)).toBe("quota_exceeded")
      yield* accounts.changeKey(second, { monthBudget: micro(10n) })
      expect(yield* reserve(account, second, 2)).toBe("quota_exceeded")
      yield* TestClock.setTime(31 * day)
      expect(yield* reserve(account, second, 10)).toMatchObject({ amount: 10n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(ledgerInMemory))
  )

  it.effect("are charged together in one commit", () =>
    Effect.gen(function* () {
      const { account, accounts, key: first } = yield* funded
      yield* accounts.changeKey(first, { budget: micro(10n) })
      const second = (yield* accounts.rotateKey(first, day)).id
      const results = yield* Effect.all(
        Array.from({ length: 20 }, (_, i) => reserve(account, i % 2 === 0 ? first : second, 1)),
        { concurrency: "unbounded" }
      )
      const granted = results.filter((result) => typeof result !== "string")
      expect(granted).toHaveLength(10)
      yield* Effect.forEach(granted, (call) => settle(call, 1), { concurrency: "unbounded" })
      expect(yield* accounts.getKey(second)).toMatchObject({ spent: 10n, reserved: 0n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(ledgerInMemory))
  )
})
