import { assert, it } from "@effect/vitest"
import { micro, fromMicros, nano, usd } from "../src/Money.ts"
import * as limits from "../src/limits.ts"
import { allowances, fromTopUps } from "../src/Tier.ts"

it("the tier rises with the first top-up, and at 500 USD", () => {
  assert.strictEqual(fromTopUps(nano(-1n)), "Free")
  assert.strictEqual(fromTopUps(nano(0n)), "Free")
  assert.strictEqual(fromTopUps(nano(1n)), "Starter")
  assert.strictEqual(fromTopUps(usd("499.999999999")), "Starter")
  assert.strictEqual(fromTopUps(usd("500")), "Growth")
  assert.strictEqual(fromTopUps(fromMicros(micro(500_000_000n))), "Growth")
  assert.strictEqual(fromTopUps(usd("999999999")), "Growth")
})

it("each tier has the limits of the specification", () => {
  assert.deepStrictEqual(allowances, {
    Free: { rpm: 60, tpm: 60_000, concurrency: 5 },
    Starter: { rpm: 600, tpm: 600_000, concurrency: 20 },
    Growth: { rpm: 3_000, tpm: 3_000_000, concurrency: 50 }
  })
})

it("limit groups have the limits of the specification's table of overrides", () => {
  assert.strictEqual(limits.inference.rpm, "upstream")
  assert.strictEqual(limits.deepResearch.rpm, 5)
  assert.strictEqual(limits.generateContent.rpm, 30)
  assert.strictEqual(limits.image.rpm, 30)
  assert.strictEqual(limits.video.tasks, 3)
  assert.isUndefined(limits.standard.rpm)
  const ids = Object.values(limits).map((group) => group.id)
  assert.strictEqual(new Set(ids).size, ids.length)
})
