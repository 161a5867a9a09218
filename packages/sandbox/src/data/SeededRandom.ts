import { hash } from "../text/hash.ts"

/** A checksum of eight hexadecimal digits. */
export const check = (text: string): string => hash(text).toString(16).padStart(8, "0")

export interface SeededRandom {
  /** A number from `least` up to but excluding `most`. */
  readonly between: (least: number, most: number) => number
  /** An integer from `least` to `most`, both included. */
  readonly int: (least: number, most: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <A>(choices: readonly [A, ...ReadonlyArray<A>]) => A
  /** `length` decimal digits; the first is not 0. */
  readonly digits: (length: number) => string
}

/** A random generator seeded by the key: the same key gives the same values on every machine. */
export const seededRandom = (...key: ReadonlyArray<string | number>): SeededRandom => {
  let state = hash(JSON.stringify(key))
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + next() * (most - least)
  const int = (least: number, most: number) => Math.floor(between(least, most + 1))
  return {
    between,
    int,
    chance: (share) => next() < share,
    pick: (choices) => choices[int(0, choices.length - 1)] ?? choices[0],
    digits: (length) => Array.from({ length }, (_, at) => int(at === 0 ? 1 : 0, 9)).join("")
  }
}
