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
