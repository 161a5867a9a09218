import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { format, parse, words } from "../src/RetryAfter.ts"
import { character } from "./unicode.ts"

const now = Date.UTC(2025, 0, 31, 12, 0, 0)

describe("seconds", () => {
  it.each([
    ["0", 0],
    ["1", 1_000],
    ["120", 120_000],
    [" 3 ", 3_000],
    ["0.5", 500],
    ["7.66", 7_660],
    ["0.0001", 1],
    ["0.30000000000000004", 301],
    ["86400", 86_400_000]
  ])("%j is %d ms", (text, expected) => {
    assert.strictEqual(parse(text, now), expected)
  })

  it("a very long wait is still a finite number", () => {
    for (const text of ["9999999999", "99999999999", "9".repeat(400)]) {
      const millis = parse(text, now)
      assert.isTrue(millis !== undefined && Number.isFinite(millis) && millis >= 9_999_999_999_000, text)
    }
  })

  it("fractions are never rounded down", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(999_999), (seconds, fraction) => {
        const millis = parse(`${seconds}.${String(fraction).padStart(6, "0")}`, now)
        assert.isDefined(millis)
        const asked = BigInt(seconds) * 1_000_000n + BigInt(fraction)
        assert.isTrue(BigInt(millis!) * 1_000n >= asked && BigInt(millis! - 2) * 1_000n < asked)
      })
    )
  })
})

describe("dates", () => {
  const zone = process.env.TZ
  // A format without a time zone must not be parsed as local time.
  beforeAll(() => {
    process.env.TZ = "Asia/Tokyo"
  })
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  it.each(["Fri, 31 Jan 2025 12:00:30 GMT", "Friday, 31-Jan-25 12:00:30 GMT", "Fri Jan 31 12:00:30 2025"])(
    "%s is 30 s from noon",
    (text) => {
      assert.strictEqual(new Date(0).getHours(), 9, "the test runs in another time zone")
      assert.strictEqual(parse(text, now), 30_000)
    }
  )

  it("a one-digit day is padded with a space in the oldest format", () => {
    assert.strictEqual(parse("Sat Feb  1 12:00:00 2025", now), 86_400_000)
  })

  it("a date in the past is no wait", () => {
    assert.strictEqual(parse("Wed, 21 Oct 2015 07:28:00 GMT", now), 0)
  })

  it("a date is exact to the second", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) =>
        assert.strictEqual(parse(new Date(seconds * 1_000).toUTCString(), 0), seconds * 1_000)
      )
    )
  })
})

describe("anything else is undefined", () => {
  it.each([
    "",
    " ",
    "-1",
    "+5",
    "1e3",
    "0x10",
    ".5",
    "5.",
    "1,5",
    "5s",
    "5 seconds",
    "NaN",
    "Infinity",
    "soon",
    "wait 5",
    "soon 2030",
    "May 5",
    "Infinity 1",
    "2025-01-31T12:00:30Z",
    "Fri, 31 Foo 2025 12:00:30 GMT",
    "Fri, 99 Jan 2025 12:00:30 GMT",
    "Fri, 31 Jan 2025 25:00:30 GMT",
    "Fri, 31 Jan 2025 12:00:30",
    "٥"
  ])("%j", (text) => {
    assert.isUndefined(parse(text, now))
  })

  it("a missing header", () => {
    assert.isUndefined(parse(undefined, now))
  })

  it("any text gives a finite, non-negative number or undefined", () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: character }), fc.double().map(String), fc.date().map(String))
    fc.assert(
      fc.property(texts, (text) => {
        const millis = parse(text, now)
        return millis === undefined || (Number.isFinite(millis) && millis >= 0)
      }),
      { numRuns: 1_000 }
    )
  })
})

describe("formatting", () => {
  it("rounds up to whole seconds", () => {
    assert.deepStrictEqual([0, 1, 999, 1_000, 1_001, 30_000].map(format), ["0", "1", "1", "1", "2", "30"])
    assert.strictEqual(format(-5_000), "0")
  })

  it("a caller that obeys waits long enough, and less than a second too much", () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 31 - 1 }), (millis) => {
        const waited = parse(format(millis), now) ?? -1
        return waited >= millis && waited < millis + 1_000
      })
    )
  })
})

describe("a wait in words", () => {
  it.each([
    [1, "1 minute"],
    [60_000, "1 minute"],
    [60_001, "2 minutes"],
    [3_600_000, "60 minutes"],
    [3_600_001, "1 hour 1 minute"],
    [14_400_000, "4 hours"],
    [86_399_999, "24 hours"],
    [90_000_000, "1 day 1 hour"],
    [2_592_000_000, "30 days"]
  ])("%d ms is %s", (millis, expected) => {
    assert.strictEqual(words(millis), expected)
  })
})
