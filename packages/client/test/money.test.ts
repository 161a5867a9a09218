import { assert, describe, it } from "@effect/vitest"
import { Money } from "@tollgate/client"
import * as fc from "fast-check"

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
      fc.property(fc.maxSafeNat(), (micros) => Money.micros(Money.usd(micros)) === micros),
      { numRuns: 1_000 }
    )
  })

  it.each(["", "1,5", "-1", "1e3", "0.0000001", "1.0000005", "9007199254.740992", "999999999999.999999999"])(
    "%j is refused as an amount",
    (text) => {
      assert.throws(() => Money.micros(text), RangeError)
    }
  )
})
