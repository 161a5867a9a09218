import { describe, expect, it } from "@effect/vitest"
import { type LimitCommand, LimitStore } from "@tollgate/gateway/driver"
import { hasRedis, redisLimits, redisUrl } from "@tollgate/testing/limits/redis"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const limits = { key: "late", rpm: 1_000, tpm: 1_000 }

const take = (lease: Extract<LimitCommand, { kind: "take" }>["lease"]): LimitCommand => ({
  kind: "take",
  ...limits,
  group: undefined,
  request: false,
  tokens: undefined,
  lease
})

describe.runIf(hasRedis)("a reply of Redis that comes late", () => {
  it.effect("does not bring back a lease that was ended meanwhile", () =>
    Effect.gen(function* () {
      const storeOf = yield* redisLimits(yield* redisUrl).join
      const { run } = Context.get(yield* Layer.build(storeOf()), LimitStore)
      const counted = run([take({ id: undefined, most: 0 })])
      // Now Redis knows the script.
      yield* counted
      // Both are under way together, as if the first had been given up.
      yield* Effect.all(
        [
          run([take({ id: "lease", most: 5 })]),
          run([{ kind: "end", ...limits, lease: "lease", correction: undefined }])
        ],
        { concurrency: "unbounded" }
      )
      // Longer than until the leases that are held are renewed.
      yield* TestClock.adjust("10 seconds")
      // A renewal asks up to three times: Redis may not know its script.
      for (let i = 0; i < 5; i++) expect(yield* counted).toMatchObject([{ running: 0 }])
    }).pipe(Effect.scoped)
  )
})
