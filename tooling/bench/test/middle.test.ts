import { expect, test } from "vitest"
import { median, middle } from "../src/middle.ts"

test("the median of an even number lies between the two in the middle", () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(middle([4, 1, 3, 2]).median).toBe(2.5)
})

test("four measurements prove nothing, five bound the true median by their ends", () => {
  expect(middle([1, 2, 3, 4])).toMatchObject({ least: 1, most: 4, low: -Infinity, high: Infinity })
  // All five are on one side of it in 2 of 32 cases, which is less than a tenth.
  expect(middle([1, 2, 3, 4, 5])).toMatchObject({ low: 1, high: 5 })
})

test("with more measurements the outer ones do not count", () => {
  // 0, 1 or 2 of 12 on one side: 2 * 79 / 4096 is less than a tenth, and with 3 it is more.
  expect(middle([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1_000])).toMatchObject({ median: 6.5, low: 3, high: 10 })
})

test("the true median lies within nine times of ten, whatever the noise", () => {
  // A fixed series of numbers that look random, with a long tail as times have.
  let state = 7
  const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  let within = 0
  for (let i = 0; i < 2_000; i++) {
    const { high, low } = middle(Array.from({ length: 9 }, () => 1 / (1 - next())))
    if (low <= 2 && high >= 2) within++
  }
  expect(within / 2_000).toBeGreaterThan(0.9)
})
