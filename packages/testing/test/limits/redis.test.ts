import { byTestClock } from "@tollgate/testing/limits/Driver"
import { limitsSuite } from "@tollgate/testing/limits/limitsSuite"
import { hasRedis, redisLimits, redisUrl } from "@tollgate/testing/limits/redis"
import { sharedSuite } from "@tollgate/testing/limits/sharedSuite"
import { countOf, isAll } from "@tollgate-tooling/programs/counts.ts"
import * as Effect from "effect/Effect"
import { describe } from "vitest"

describe.runIf(hasRedis)("a real server", () => {
  const driver = Effect.runSync(Effect.cached(Effect.map(redisUrl, (url) => redisLimits(url))))
  const first = Effect.scoped(Effect.flatMap(driver, ({ join }) => join))

  limitsSuite("limits in Redis", { layer: byTestClock(first), runs: countOf("LIMIT_RUNS", 2, 5) })
  if (isAll) sharedSuite("limits in Redis", driver)
})
