import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { format, parse } from "../src/Timestamp.ts"

const first = Date.parse("0000-01-01T00:00:00.000Z")
const last = Date.parse("9999-12-31T23:59:59.999Z")
const instants = fc.oneof(
  fc.integer({ min: first, max: last }),
  fc.constantFrom(first, last, 0, -1, Date.UTC(2024, 1, 29), Date.UTC(2000, 1, 29, 23, 59, 59, 999))
)
const two = (n: number) => String(n).padStart(2, "0")

it("a time has the format of the task endpoints, in UTC", () => {
  assert.strictEqual(format(Date.UTC(2024, 1, 29, 3, 4, 5, 6)), "2024-02-29 03:04:05.006")
  assert.strictEqual(parse("2024-02-29 03:04:05.006"), Date.UTC(2024, 1, 29, 3, 4, 5, 6))
})

it("a formatted time parses to the same millisecond", () => {
  fc.assert(fc.property(instants, (millis) => assert.strictEqual(parse(format(millis)), millis)))
})

it("formatted times sort in order of time", () => {
  fc.assert(fc.property(instants, instants, (a, b) => a < b === format(a) < format(b)))
})

describe("rejects", () => {
  it.each([
    "2024-02-30 00:00:00.000",
    "2023-02-29 00:00:00.000",
    "2024-04-31 00:00:00.000",
    "2024-13-01 00:00:00.000",
    "2024-00-10 00:00:00.000",
    "2024-01-00 00:00:00.000",
    "2024-01-01 24:00:00.000",
    "2024-01-01 25:00:00.000",
    "2024-01-01 23:60:00.000",
    "2024-01-01 23:59:60.000",
    "2024-01-01 00:00:00",
    "2024-01-01 00:00:00.00",
    "2024-01-01 00:00:00.0000",
    "2024-01-01T00:00:00.000",
    "2024-01-01 00:00:00.000Z",
    "2024-01-01  00:00:00.000",
    " 2024-01-01 00:00:00.000",
    "2024-01-01 00:00:00.000\n",
    "2024-1-1 00:00:00.000",
    "24-01-01 00:00:00.000",
    "+010000-01-01 00:00:00.000",
    "２024-01-01 00:00:00.000",
    "",
    "now"
  ])("%j", (text) => {
    assert.isUndefined(parse(text))
  })

  it("every date that does not exist", () => {
    const numbers = fc.tuple(
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 0, max: 14 }),
      fc.integer({ min: 0, max: 33 })
    )
    fc.assert(
      fc.property(numbers, ([year, month, day]) => {
        const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
        const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
        const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)} 12:00:00.000`
        assert.strictEqual(parse(text) !== undefined, day >= 1 && day <= days)
      }),
      { numRuns: 2_000 }
    )
  })
})
