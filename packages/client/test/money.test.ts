import { assert, describe, it } from "@effect/vitest"
import { Money, usage } from "@tollgate/client"
import { fromMicros, parseUsd } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { json, respond, scripted } from "./scripted.ts"

const counts = {
  requests: 1,
  failed_requests: 0,
  input_tokens: 2,
  output_tokens: 3,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  usage_value_micros_usd: 1_250_000,
  charged_micros_usd: 25
}

const report = {
  scope: "key",
  currency: "USD",
  start_time: 1,
  end_time: 86_401,
  bucket_width: "1d",
  totals: counts,
  buckets: [{ start_time: 1, end_time: 86_401, ...counts }]
}

describe("a usage report", () => {
  it.effect("has amounts that a program adds, prints and stringifies", () =>
    Effect.gen(function* () {
      const { layer } = scripted(respond(200, JSON.stringify(report), json))
      const found = yield* Effect.provide(usage({ start_time: 1 }), layer)
      assert.strictEqual(found.totals.usage_value_micros_usd + found.totals.charged_micros_usd, 1_250_025)
      assert.strictEqual(Money.format(found.totals.charged_micros_usd), "$0.000025")
      assert.deepStrictEqual(JSON.parse(JSON.stringify(found)), report)
    })
  )

  it.effect.each([2 ** 53, 0.5, "1"])("with the amount %j is not taken for valid", (charged) =>
    Effect.gen(function* () {
      const body = { ...report, totals: { ...counts, charged_micros_usd: charged } }
      const { layer } = scripted(respond(200, JSON.stringify(body), json))
      const error = yield* Effect.flip(Effect.provide(usage({ start_time: 1 }), layer))
      assert.strictEqual(error._tag, "AnswerInvalid")
    })
  )
})

describe("Money", () => {
  it.each([
    [1_250_000, "$1.25"],
    [25, "$0.000025"],
    [-3_000_000, "-$3"],
    [-1, "-$0.000001"],
    [0, "$0"],
    [-0, "$0"],
    [1_000_000_000_000_000, "$1000000000"],
    [Number.MAX_SAFE_INTEGER, "$9007199254.740991"],
    [Number.MIN_SAFE_INTEGER, "-$9007199254.740991"]
  ])("%d micro-USD are shown as %s", (micros, text) => {
    assert.strictEqual(Money.format(micros), text)
  })

  it.each([0.5, NaN, Infinity, 2 ** 53])("%d is refused rather than shown inexactly", (micros) => {
    assert.throws(() => Money.format(micros), RangeError)
    assert.throws(() => Money.usd(micros), RangeError)
  })

  it("amounts survive the way to decimal USD and back", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (micros) => Option.contains(parseUsd(Money.usd(micros)), fromMicros(micros))),
      { numRuns: 1_000 }
    )
  })
})
