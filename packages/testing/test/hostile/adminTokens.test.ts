import { describe, expect, it } from "@effect/vitest"
import { Host, key, type TestGateway } from "@tollgate/testing"
import { question } from "@tollgate/testing/ask"
import { adminToken, askFrom, behindProxy } from "@tollgate/testing/hostile/addresses"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

// The clock stands still unless a test moves it, so that no limit refills by itself.
const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.effect(name, () => Effect.provide(effect(), behindProxy))

const attacker = "203.0.113.7"
const operator = "198.51.100.1"

const administer = (address: string, token: string) =>
  askFrom(address, "GET", "/admin/v1/accounts", { authorization: `Bearer ${token}` })

const guess = (count: number) =>
  Effect.all(
    Array.from({ length: count }, (_, i) => administer(attacker, `wrong-token-number-${i}`)),
    { concurrency: "unbounded" }
  )

describe("wrong admin tokens", () => {
  test("from one address get ten answers, also if all are sent at once, and then one every six seconds", () =>
    Effect.gen(function* () {
      const guesses = yield* guess(100)
      expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
      const limited = guesses.filter(({ status }) => status === 429)
      expect(limited).toHaveLength(90)
      expect(limited[0]?.headers["retry-after"]).toBe("6")
      yield* TestClock.adjust("6 seconds")
      expect((yield* guess(5)).filter(({ status }) => status === 401)).toHaveLength(1)
    }))

  test("do not lock out the right one, which everybody behind a proxy may send", () =>
    Effect.gen(function* () {
      expect((yield* guess(20)).at(-1)?.status).toBe(429)
      expect((yield* administer(attacker, adminToken)).status).toBe(200)
      // The right one gives the wrong ones nothing back.
      expect((yield* administer(attacker, "wrong-token")).status).toBe(429)
    }))

  test("do not slow down the operator at another address, nor callers at the same one", () =>
    Effect.gen(function* () {
      const [, mine] = yield* Effect.all([guess(100), administer(operator, adminToken)], { concurrency: 2 })
      expect(mine.status).toBe(200)
      const call = yield* askFrom(attacker, "POST", "/v1/rerank", { authorization: `Bearer ${key}` }, question)
      expect(call.status).toBe(200)
    }))

  test("a right token may be sent as often as one likes", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 30; i++) expect((yield* administer(operator, adminToken)).status).toBe(200)
    }))
})
