/** FNV-1a over UTF-16 units, with a final mix so that similar texts get different hashes. */
export const hash = (text: string): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** 24 hexadecimal digits that depend on the seed alone. */
export const id = (seed: string): string =>
  ["a", "b", "c"].map((salt) => hash(`${salt}${seed}`).toString(16).padStart(8, "0")).join("")

/** Pseudo-random numbers that depend on the seed alone. */
export interface IntGenerator {
  /** An integer from 0 to `sides` - 1. */
  (sides: number): number
}

export const seededInts = (seed: string): IntGenerator => {
  let state = hash(seed)
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % sides
  }
}

export const pick = <A>(nextInt: IntGenerator, [first, ...rest]: readonly [A, ...ReadonlyArray<A>]): A => {
  const chosen = nextInt(rest.length + 1)
  for (const [index, item] of rest.entries()) if (index + 1 === chosen) return item
  return first
}

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
