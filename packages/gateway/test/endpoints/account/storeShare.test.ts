import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { StoreShare } from "../../../src/endpoints/account/Account.ts"
import { Refused } from "@tollgate/contract/errors/Refused"

describe("the time that the store works for an account", () => {
  it.effect("is a fifth at most, so that dear questions of one account do not hold up the calls of others", () =>
    Effect.gen(function* () {
      const share = new StoreShare()
      const asked = { one: 0, two: 0 }
      const ask = (account: "one" | "two", millis: number) =>
        Effect.result(
          share.limit(
            account,
            Effect.map(TestClock.adjust(millis), () => ++asked[account])
          )
        )
      const waits: Array<number> = []
      for (let i = 0; i < 20; i++) {
        const result = yield* ask("one", 1_000)
        if (result._tag === "Success") continue
        expect(result.failure).toBeInstanceOf(Refused)
        const { retryAfter = 0 } = (result.failure as Refused).refusal
        waits.push(retryAfter)
        yield* TestClock.adjust(retryAfter)
      }
      // Two seconds at once, then each second of work is followed by four without.
      expect(asked.one).toBeLessThanOrEqual(12)
      expect(waits.at(-1)).toBe(4_000)
      for (let i = 0; i < 500; i++) {
        expect((yield* ask("two", 1))._tag).toBe("Success")
        yield* TestClock.adjust(4)
      }
    })
  )
})
