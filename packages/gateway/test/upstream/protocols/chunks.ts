import * as fc from "fast-check"

/** Where a stream is split into chunks, as fractions of its length. */
export const cuts = fc.array(fc.noBias(fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 8 })

export const cut = (bytes: Uint8Array, at: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const ends = [...at.map((part) => Math.round(part * bytes.length)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end))
}

export const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

/** Every way to split into three chunks. */
export function* inThree(bytes: Uint8Array): Generator<ReadonlyArray<Uint8Array>> {
  for (let i = 0; i <= bytes.length; i++) {
    for (let j = i; j <= bytes.length; j++) yield [bytes.slice(0, i), bytes.slice(i, j), bytes.slice(j)]
  }
}
