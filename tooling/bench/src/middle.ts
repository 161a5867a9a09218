export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** The median of a few measurements, their ends, and between which of them the true one surely lies. */
export interface Middle {
  readonly median: number
  readonly least: number
  readonly most: number
  readonly low: number
  readonly high: number
}

/** How often out of `2 ** n` at most `k` of `n` coins show heads. */
const tail = (n: number, k: number): number => {
  let sum = 0
  let ways = 1
  for (let heads = 0; heads <= k; heads++) {
    sum += ways
    ways = (ways * (n - heads)) / (heads + 1)
  }
  return sum / 2 ** n
}

/** How sure: one comparison in ten may be wrong. */
const doubt = 0.1

/**
 * By order alone, whatever the noise looks like: each measurement is above the true median with a chance of one half. With
 * four or fewer nothing is sure.
 */
export const middle = (values: ReadonlyArray<number>): Middle => {
  const sorted = values.toSorted((a, b) => a - b)
  const n = sorted.length
  let left = -1
  while (left + 1 < n / 2 && 2 * tail(n, left + 1) <= doubt) left++
  return {
    median: n % 2 === 1 ? median(sorted) : (sorted[n / 2 - 1]! + sorted[n / 2]!) / 2,
    least: sorted[0] ?? Number.NaN,
    most: sorted[n - 1] ?? Number.NaN,
    low: left === -1 ? Number.NEGATIVE_INFINITY : sorted[left]!,
    high: left === -1 ? Number.POSITIVE_INFINITY : sorted[n - 1 - left]!
  }
}
