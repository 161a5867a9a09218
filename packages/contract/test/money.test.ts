import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import {
  divideHalfUp,
  formatUsd,
  fromMicros,
  MicroUsd,
  micro,
  nano,
  parseMicros,
  parseUsd,
  roundToMicros,
  safeMicros,
  toMicros,
  usd,
  zero
} from "../src/Money.ts"

const nanos = fc.bigInt({ min: 0n, max: 10n ** 21n - 1n })
const anyBigInt = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })

/** Whether `k - 1/2 <= numerator/denominator < k + 1/2`, checked without division. */
const isNearest = (k: bigint, numerator: bigint, denominator: bigint) =>
  (2n * k - 1n) * denominator <= 2n * numerator && 2n * numerator < (2n * k + 1n) * denominator

describe("parsing an amount of USD", () => {
  it("accepts whole and decimal amounts down to a nano-USD", () => {
    const amounts: ReadonlyArray<readonly [string, bigint]> = [
      ["0", 0n],
      ["1", 1_000_000_000n],
      ["0.050", 50_000_000n],
      ["0.00188", 1_880_000n],
      ["0.00145", 1_450_000n],
      ["0.0029", 2_900_000n],
      ["0.000000001", 1n],
      ["007.5", 7_500_000_000n],
      ["999999999999.999999999", 999_999_999_999_999_999_999n]
    ]
    for (const [text, expected] of amounts) assert.deepStrictEqual(parseUsd(text), Option.some(nano(expected)), text)
  })

  it("is exact for amounts of any length", () => {
    const digits = (length: { readonly min: number; readonly max: number }) =>
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length.min, maxLength: length.max })
    fc.assert(
      fc.property(digits({ min: 1, max: 12 }), digits({ min: 1, max: 9 }), (whole, fraction) => {
        const inPlace = [...whole, ...fraction].reduce((sum, digit) => sum * 10n + BigInt(digit), 0n)
        const expected = inPlace * 10n ** BigInt(9 - fraction.length)
        assert.deepStrictEqual(parseUsd(`${whole.join("")}.${fraction.join("")}`), Option.some(nano(expected)))
      })
    )
  })

  it.each([
    "1e3",
    "+1",
    "-1",
    "-0",
    " 1",
    "1 ",
    "1\n",
    "1.",
    ".5",
    ".",
    "0x1",
    "0b1",
    "1n",
    "1,5",
    "1,000.00",
    "1_000",
    "1.2.3",
    "$1",
    "",
    "0.0000000001",
    "1.0000000000",
    "1000000000000",
    "NaN",
    "Infinity",
    "null",
    "١",
    "１",
    "1.５",
    "1٫5"
  ])("refuses %j", (text) => {
    assert.isTrue(Option.isNone(parseUsd(text)))
    assert.throws(() => usd(text))
  })

  it("rejects everything except digits with at most one point", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789.,-+eExX _٣\n") }), (text) => {
        const [whole = "", fraction, ...more] = text.split(".")
        const plain = (part: string, most: number) =>
          part.length >= 1 && part.length <= most && [...part].every((c) => "0123456789".includes(c))
        const good = plain(whole, 12) && (fraction === undefined || plain(fraction, 9)) && more.length === 0
        assert.strictEqual(Option.isSome(parseUsd(text)), good)
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("formatting an amount of USD", () => {
  it("gives text that parses to the same amount", () => {
    fc.assert(fc.property(nanos, (n) => assert.deepStrictEqual(parseUsd(formatUsd(nano(n))), Option.some(nano(n)))))
  })

  it("gives no trailing zeros and no exponent", () => {
    assert.strictEqual(formatUsd(zero), "0")
    assert.strictEqual(formatUsd(nano(1n)), "0.000000001")
    assert.strictEqual(formatUsd(usd("1.500")), "1.5")
    assert.strictEqual(formatUsd(usd("100")), "100")
    assert.strictEqual(formatUsd(nano(-1_500_000_000n)), "-1.5")
    assert.strictEqual(formatUsd(nano(-1n)), "-0.000000001")
    assert.strictEqual(formatUsd(nano(10n ** 30n)), "1000000000000000000000")
  })

  it("gives a negative amount a minus sign", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 40n }), (n) =>
        assert.strictEqual(formatUsd(nano(-n)), `-${formatUsd(nano(n))}`)
      )
    )
  })
})

describe("rounding", () => {
  it("goes to the nearest micro-USD, halves up", () => {
    const cases: ReadonlyArray<readonly [bigint, bigint]> = [
      [0n, 0n],
      [499n, 0n],
      [500n, 1n],
      [1_499n, 1n],
      [1_500n, 2n],
      [-499n, 0n],
      [-500n, 0n],
      [-501n, -1n],
      [-1_500n, -1n],
      [-1_501n, -2n]
    ]
    for (const [from, to] of cases) assert.strictEqual(toMicros(nano(from)), Number(to), String(from))
  })

  it("finds the nearest micro-USD for negative and huge amounts", () => {
    fc.assert(
      fc.property(anyBigInt, (n) => isNearest(roundToMicros(nano(n)), n, 1_000n)),
      { numRuns: 1_000 }
    )
    fc.assert(
      fc.property(fc.bigInt({ min: -3_000n, max: 3_000n }), (n) => isNearest(roundToMicros(nano(n)), n, 1_000n)),
      {
        numRuns: 2_000
      }
    )
  })

  it("finds the nearest integer for every denominator", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -200n, max: 200n }), fc.bigInt({ min: 1n, max: 25n }), (n, d) =>
        isNearest(divideHalfUp(n, d), n, d)
      ),
      { numRuns: 5_000 }
    )
  })

  it("loses nothing from micro-USD to nano-USD and back", () => {
    fc.assert(
      fc.property(anyBigInt, (n) => roundToMicros(fromMicros(micro(n))) === n && fromMicros(micro(n)) === n * 1_000n)
    )
    fc.assert(fc.property(fc.maxSafeInteger(), (n) => toMicros(fromMicros(n)) === n))
  })
})

describe("micro-USD on the wire", () => {
  const decode = Schema.decodeUnknownExit(MicroUsd)
  const encode = Schema.encodeUnknownExit(MicroUsd)

  it("is a JSON integer that decodes to the same amount", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (n) => {
        assert.deepStrictEqual(encode(n), Exit.succeed(n))
        assert.deepStrictEqual(decode(JSON.parse(JSON.stringify(n))), Exit.succeed(n))
      })
    )
  })

  it("is refused beyond what a number holds exactly", () => {
    const limit = BigInt(Number.MAX_SAFE_INTEGER)
    assert.strictEqual(toMicros(nano(limit * 1_000n)), Number.MAX_SAFE_INTEGER)
    assert.strictEqual(parseMicros(String(limit)), Number.MAX_SAFE_INTEGER)
    for (const over of [limit + 1n, limit + 2n, -limit - 1n, 10n ** 30n, 10n ** 400n]) {
      assert.throws(() => toMicros(nano(over * 1_000n)), RangeError)
      assert.strictEqual(safeMicros(over), undefined)
      assert.strictEqual(parseMicros(String(over)), undefined)
      assert.isTrue(Exit.isFailure(encode(Number(over))), String(over))
    }
  })

  it.each([1.5, Number.NaN, Infinity, 2 ** 53, "1", null, true, [1], {}])("rejects %j", (value) => {
    assert.isTrue(Exit.isFailure(decode(value)))
  })
})
